import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENVIRONMENT_FILE, type TestEnvironment } from '@offizin/testkit/environment';

/** Set by `npm test`, which deletes the folder, and stops what a killed Jest left in it. */
export const RUN_FOLDER = 'OFFIZIN_TEST_FOLDER';

/** A new folder of the run, for the servers of one phase; those of its first try are gone at the second. */
export function serverFolder(name: string): string {
  const run = (process.env[RUN_FOLDER] ??= mkdtempSync(join(tmpdir(), 'offizin-test-')));
  const folder = join(run, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  return folder;
}

/** Specs find the servers by it: Jest's workers inherit the variable. */
export function publish(folder: string, environment: Partial<TestEnvironment>): void {
  const file = join(folder, 'environment.json');
  writeFileSync(file, JSON.stringify(environment), { mode: 0o600 });
  process.env[ENVIRONMENT_FILE] = file;
}

const stops: (() => Promise<unknown>)[] = [];

/** For stop.ts: the last one registered is called first. */
export function onStop(stop: () => Promise<unknown>): void {
  stops.push(stop);
}

/** Calls all of them, even when one fails. A failure is not a throw: Jest would lose the results of all specs. */
export async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0).reverse())
    await stop().catch((error: unknown) => {
      console.error('FAIL', error instanceof Error ? error.message : error);
      process.exitCode = 1;
    });
}
