import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasErrorCode, identityOf, isSameProcess } from './process-identity';

/**
 * Locks a data folder: `<dataDir>/stack.pid` holds the process id and start time of the owner. Returns the
 * function that releases it.
 */
export function lockDataDir(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true });
  const lock = join(dataDir, 'stack.pid');
  const own = identityOf(process.pid);
  const draft = `${lock}.${process.pid}`;
  // Written elsewhere and then linked, so that a partial lock is never visible.
  writeFileSync(draft, `${own?.pid}\n${own?.startedAt}\n`);
  try {
    if (!linked(draft, lock)) {
      refuseIfAlive(lock, dataDir);
      removeStale(lock, dataDir);
      if (!linked(draft, lock)) throw new Error(`Another stack on ${dataDir} is starting at this moment.`);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => rmSync(lock, { force: true });
}

function linked(draft: string, lock: string): boolean {
  try {
    linkSync(draft, lock);
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function refuseIfAlive(lock: string, dataDir: string): void {
  const [pid = '', startedAt = ''] = readFileSync(lock, 'utf8').split('\n');
  if (!isSameProcess({ pid: Number(pid), startedAt })) return;
  throw new Error(
    `Another stack (pid ${pid}) runs on ${dataDir}. Stop it (kill ${pid}), or set OFFIZIN_DATA_DIR to another ` +
      'folder and choose other ports.',
  );
}

/** A rename removes exactly one lock file, so only one of two racing processes can succeed. */
function removeStale(lock: string, dataDir: string): void {
  const aside = `${lock}.stale.${process.pid}`;
  try {
    renameSync(lock, aside);
  } catch {
    return; // Somebody else has just taken it away; linking our own decides.
  }
  try {
    refuseIfAlive(aside, dataDir);
  } catch (error) {
    linked(aside, lock);
    throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
