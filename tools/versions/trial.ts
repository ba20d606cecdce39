import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { end, lastLine, startTool, type ToolRun, withDemo } from '../up/own-demo';

/** What happens when a service, the broker or the database goes away. */
const OUTAGES = [
  'verification/promises/fault-stack/fault-stack.stack.spec.ts',
  'verification/stories/products/stock-outage.stack.spec.ts',
  'verification/stories/audit/audit-outage.stack.spec.ts',
];

export interface Trial extends ToolRun {
  /** Run with the outages. */
  specs: readonly string[];
  /** What the doctor must find: a version that does not run proves nothing. */
  found: string;
}

export interface Verdict {
  /** Last line of the smoke walk, or why it was none. */
  smoke: string;
  /** Last line of the tests. */
  tests: string;
  isFine: boolean;
}

/** The main job on a started stack, then the outages. */
export async function tryVersion(trial: Trial): Promise<Verdict> {
  const [walked, smoke] = await smokeOf(trial);
  const log = join(trial.folder, 'tests.log');
  const tested = await end(startTool(trial, ['test', ...OUTAGES, ...trial.specs], log));
  return { smoke, tests: lastLine(log), isFine: walked && tested === 0 };
}

async function smokeOf(trial: Trial): Promise<[boolean, string]> {
  const log = join(trial.folder, 'smoke.log');
  try {
    return await withDemo(trial, async (dataDir) => {
      await requireFound(trial, dataDir);
      const code = await end(startTool(trial, ['smoke', '--data-dir', dataDir], log));
      return [code === 0, lastLine(log)];
    });
  } catch (error) {
    return [false, error instanceof Error ? error.message : String(error)];
  }
}

async function requireFound(trial: Trial, dataDir: string): Promise<void> {
  const log = join(trial.folder, 'doctor.log');
  await end(startTool(trial, ['offizin', '--data-dir', dataDir, 'doctor'], log));
  if (!readFileSync(log, 'utf8').includes(trial.found))
    throw new Error(`the doctor does not find ${trial.found}: see doctor.log`);
}
