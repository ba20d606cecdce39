import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkoutRoot } from '@offizin/local-stack/checkout';

/** Says that the benchmark runs and counts only successes, not how fast anything is. One run has all of these rows. */
const MAIN_JOB = [
  'external order',
  'order request by the gateway',
  'order-request list',
  'order-request detail',
  'request read back',
  'own requests',
  'approve without stock',
  'approve with stock',
  'PDF order of 100 KB',
  'PDF order of 500 KB',
  'PDF order of 5 MB',
  'PDF read of 500 KB',
  'inventory adjust',
  'product-overrides merge',
  'order PUT',
  'prescription ingest',
  'year report',
];

async function quickRun(only: string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'offizin-bench-'));
  const main = join(checkoutRoot, 'dist', 'verification', 'bench', 'main.js');
  const args = [main, '--quick', ...only.flatMap((begin) => ['--only', begin]), '--data-dir', folder];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let printed: string;
beforeAll(async () => {
  printed = await quickRun(['order upsert new, 1 caller', ...MAIN_JOB, 'console:']);
}, 900_000);

it('runs on a separate stack without a failure', () => expect(printed).not.toContain('failed:'));

it('measures a row against its raw limit', () => {
  expect(printed).toMatch(
    /^\| order upsert new, 1 .*\| [\d.]+ ms .*\| bare chain [\d.]+ +\| [\d.]+ +\| ≤1\.5 /m,
  );
});

it.each(MAIN_JOB)('measures what an operation of the main job costs: %s', (name) => {
  expect(printed).toMatch(new RegExp(`^\\| ${name}.*\\| [\\d.,]+ (µs|ms) `, 'm'));
});

it.each(['page of 200 requests', 'gateway memory'])(
  'measures what the server answers to the console: %s',
  (name) => expect(printed).toMatch(new RegExp(`^\\| console: ${name}.*\\| [\\d.,]+ (ms|MB) `, 'm')),
);
