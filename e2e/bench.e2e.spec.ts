import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkoutRoot } from '@offizin/local-stack/checkout';

/** Says that the benchmark runs and counts only successes, not how fast anything is. */
it('measures a row against its raw limit on a separate stack, and prints it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'offizin-bench-'));
  const main = join(checkoutRoot, 'dist', 'verification', 'bench', 'main.js');
  const args = [main, '--quick', '--only', 'order upsert new, 1 caller', '--data-dir', folder];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toMatch(/^\| order upsert new, 1 caller, p50 .*\| [\d.]+ ms .*\| [\d.]+ +\| ≤ 4 /m);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
