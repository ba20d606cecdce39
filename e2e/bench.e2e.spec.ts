import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkoutRoot } from '@offizin/local-stack/checkout';

/** Says that the benchmark runs and counts only successes, not how fast anything is. */
async function quickRun(...only: string[]): Promise<string> {
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

it('measures a row against its raw limit on a separate stack, and prints it', async () => {
  expect(await quickRun('order upsert new, 1 caller')).toMatch(
    /^\| order upsert new, 1 caller, p50 .*\| [\d.]+ ms .*\| [\d.]+ +\| ≤ 5 /m,
  );
}, 120_000);

const MAIN_JOB = [
  ...['external order', 'order request by the gateway', 'order-request list', 'order-request detail'],
  ...['approve, lines without stock', 'approve, lines with stock', 'read of a 500 KB prescription'],
  ...['inventory adjust', 'product-overrides merge', 'order PUT', 'prescription ingest'],
  ...['report stats over a year', 'the first 200 calls'],
];

it('measures what each operation of the main job costs', async () => {
  const printed = await quickRun(...MAIN_JOB);
  for (const name of MAIN_JOB)
    expect(printed).toMatch(new RegExp(`^\\| ${name}.*\\| [\\d.,]+ (µs of a core|ms) `, 'm'));
  expect(printed).not.toContain('failed:');
}, 600_000);

it('measures what the server answers to the console', async () => {
  const printed = await quickRun('console:');
  for (const name of ['sign-in', 'list page of 200', 'review of one request'])
    expect(printed).toMatch(new RegExp(`^\\| console: ${name}.*\\| [\\d.]+ ms `, 'm'));
  expect(printed).not.toContain('failed:');
}, 180_000);

it('measures how soon people hear of a change and of the end of their session', async () => {
  const printed = await quickRun('console live:');
  for (const name of ['request handed in', 'the same with 1,000 open streams', 'session revoked'])
    expect(printed).toMatch(new RegExp(`^\\| console live: ${name}.*\\| [\\d.,]+ ms `, 'm'));
  expect(printed).not.toContain('failed:');
}, 180_000);
