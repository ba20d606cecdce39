import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { hasErrorCode } from '@offizin/local-stack/process-identity';
import type { Verdict } from '../guarantee';

/** Small memory disks (tmpfs), which a trial fills: of a whole data folder, or of the files of PostgreSQL. */

/** Why nothing can be mounted here. */
export class NoMount extends Error {}

/** The verdict of a trial that could mount nothing; throws every other error. */
export function skippedWithoutMount(fault: string, error: unknown): Verdict[] {
  if (!(error instanceof NoMount)) throw error;
  const figure = `skipped: ${error.message}`;
  return [{ fault, trials: 'none', figure, bar: 'held on a disk', result: 'skipped' }];
}

export const databaseDiskIn = (dataDir: string): string => join(dataDir, 'small-disk');
const fillerIn = (disk: string): string => join(disk, 'filler');

/** Throws `NoMount` without the right to mount. */
export function mountSmallDisk(folder: string, megabytes: number): void {
  mkdirSync(folder, { recursive: true });
  const options = `size=${megabytes}m,mode=755`;
  const { status, stderr, error } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new NoMount(`mount: ${(stderr || String(error)).trim()}`);
}

export function unmountSmallDisk(folder: string): void {
  spawnSync('umount', ['-l', folder]);
}

/** Moves PostgreSQL's files to a small disk; only while the server is stopped. */
export function moveToSmallDisk(dataDir: string, megabytes: number): void {
  const [cluster, disk] = [join(dataDir, 'postgres'), databaseDiskIn(dataDir)];
  mountSmallDisk(disk, megabytes);
  const moved = join(disk, 'postgres');
  // Keeps the owner, as Node's cp does not.
  const { status, stderr } = spawnSync('cp', ['-a', cluster, moved], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`cp: ${stderr}`);
  rmSync(cluster, { recursive: true });
  symlinkSync(moved, cluster);
}

/** Fills the disk, byte by byte at the end, because the server may be writing, too. */
export function fillDisk(disk: string): void {
  for (const pieceBytes of [1024 * 1024, 4096, 1])
    try {
      for (;;) appendFileSync(fillerIn(disk), Buffer.alloc(pieceBytes, 'x'));
    } catch (error) {
      if (!hasErrorCode(error, 'ENOSPC')) throw error;
    }
}

export function emptyDisk(disk: string): void {
  rmSync(fillerIn(disk), { force: true });
}
