import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, identityOf, isSameProcess, signalPid, waitUntil } from './process-identity';
import type { ProcessIdentity } from './process-identity';

export interface StopStep {
  signal: NodeJS.Signals;
  /** Time until the next step; SIGKILL follows the last one. */
  waitMs: number;
}

/** Recorded for each started process, so that the next start finds the remains of a killed stack. */
interface RunRecord extends ProcessIdentity {
  name: string;
  /** Part of the command line that is unique to this program and data folder. */
  signature: string;
  stopSteps: StopStep[];
}

export function writeRunRecord(
  dataDir: string,
  process: { name: string; pid: number; signature: string; stopSteps: StopStep[] },
): void {
  const identity = identityOf(process.pid);
  if (!identity) return;
  const record: RunRecord = { ...process, ...identity };
  mkdirSync(runFolder(dataDir), { recursive: true, mode: 0o700 });
  writeFileSync(recordFile(dataDir, process.name), JSON.stringify(record));
}

/** A record that cannot be removed does no harm: it names a process that has ended. */
export function removeRunRecord(dataDir: string, name: string): void {
  try {
    rmSync(recordFile(dataDir, name), { force: true });
  } catch {
    // Such as on a disk that turned read-only.
  }
}

/**
 * Stops the processes of an earlier stack on this folder by their own stop signals. Returns one line per stopped
 * process. The caller must hold the lock of the folder.
 */
export async function stopOrphans(dataDir: string): Promise<string[]> {
  if (!existsSync(runFolder(dataDir))) return [];
  const files = readdirSync(runFolder(dataDir)).filter((name) => name.endsWith('.json'));
  const stopped = await Promise.all(files.map((file) => stopOrphan(join(runFolder(dataDir), file))));
  return stopped.filter((line) => line !== undefined);
}

async function stopOrphan(file: string): Promise<string | undefined> {
  const record = readRecord(file);
  rmSync(file, { force: true });
  if (!record || !isOrphan(record)) return undefined;
  for (const step of [...record.stopSteps, { signal: 'SIGKILL' as const, waitMs: 5_000 }]) {
    signalPid(record.pid, step.signal);
    const gone = await waitUntil(() => !isSameProcess(record), step.waitMs);
    if (gone) return `stopped ${record.name} (pid ${record.pid}), left over from an earlier run`;
  }
  throw new Error(`${record.name} (pid ${record.pid}) of an earlier run cannot be stopped. End it by hand.`);
}

function isOrphan(record: RunRecord): boolean {
  return isSameProcess(record) && commandLine(record.pid).includes(record.signature);
}

function readRecord(file: string): RunRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunRecord;
  } catch {
    // Incomplete: its writer was killed.
    return undefined;
  }
}

function runFolder(dataDir: string): string {
  return join(dataDir, 'run');
}

function recordFile(dataDir: string, name: string): string {
  return join(runFolder(dataDir), `${name}.json`);
}
