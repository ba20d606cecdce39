import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { hasErrorCode } from '@offizin/local-stack/error-code';

/** Moves PostgreSQL's files to a small memory disk and fills it; only while the server is stopped. */
const diskIn = (dataDir: string): string => join(dataDir, 'small-disk');
const fillerIn = (dataDir: string): string => join(diskIn(dataDir), 'filler');

/** Throws without the right to mount. `walApart`: the write-ahead log stays on a disk that is not full. */
export function moveToSmallDisk(dataDir: string, megabytes: number, walApart: boolean): void {
  const [cluster, disk] = [join(dataDir, 'postgres'), diskIn(dataDir)];
  mkdirSync(disk);
  run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', disk);
  run('chmod', '755', disk);
  const [moved, wal] = [join(disk, 'postgres'), join(dataDir, 'pg_wal')];
  run('cp', '-a', cluster, moved);
  rmSync(cluster, { recursive: true });
  symlinkSync(moved, cluster);
  if (!walApart) return;
  run('cp', '-a', join(moved, 'pg_wal'), wal);
  rmSync(join(moved, 'pg_wal'), { recursive: true });
  symlinkSync(wal, join(moved, 'pg_wal'));
}

export function unmountSmallDisk(dataDir: string): void {
  spawnSync('umount', ['-l', diskIn(dataDir)]);
}

/** Fills the disk, byte by byte at the end, because the server may be writing, too. */
export function fillDatabaseDisk(dataDir: string): void {
  for (const pieceBytes of [1024 * 1024, 4096, 1])
    try {
      for (;;) appendFileSync(fillerIn(dataDir), Buffer.alloc(pieceBytes, 'x'));
    } catch (error) {
      if (!hasErrorCode(error, 'ENOSPC')) throw error;
    }
}

export function emptyDatabaseDisk(dataDir: string): void {
  rmSync(fillerIn(dataDir), { force: true });
}

function run(program: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program}: ${(stderr || String(error)).trim()}`);
}
