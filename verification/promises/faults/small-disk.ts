import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { hasErrorCode } from '@offizin/local-stack/process-identity';
import type { NatsServer } from '@offizin/local-stack/nats';

/** Small memory disks (tmpfs) for the files of the broker and of PostgreSQL, which a trial fills. */

/** Where a stack on this data folder stores the broker's files; see tools/local-stack/nats.ts. */
const storeIn = (dataDir: string): string => join(dataDir, 'nats', 'jetstream');
const diskIn = (dataDir: string): string => join(dataDir, 'small-disk');
const fillerIn = (disk: string): string => join(disk, 'filler');

/** Puts the broker's store on a small memory disk. Throws without the right to mount. */
export function mountSmallStore(dataDir: string, megabytes: number): void {
  mkdirSync(storeIn(dataDir), { recursive: true });
  run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', storeIn(dataDir));
}

export function unmountStore(dataDir: string): void {
  spawnSync('umount', [storeIn(dataDir)]);
}

/** Deletes all files of the broker; only while it is stopped. */
export function deleteStore(broker: NatsServer): void {
  rmSync(broker.storeDir, { recursive: true, force: true });
}

export function fillStore(broker: NatsServer): void {
  fill(broker.storeDir);
}

export function emptyStore(broker: NatsServer): void {
  rmSync(fillerIn(broker.storeDir), { force: true });
}

/** Moves PostgreSQL's files to a small memory disk; only while the server is stopped. Throws without the right to mount. */
export function moveToSmallDisk(dataDir: string, megabytes: number): void {
  const [cluster, disk] = [join(dataDir, 'postgres'), diskIn(dataDir)];
  mkdirSync(disk);
  run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', disk);
  run('chmod', '755', disk);
  const moved = join(disk, 'postgres');
  run('cp', '-a', cluster, moved);
  rmSync(cluster, { recursive: true });
  symlinkSync(moved, cluster);
}

export function unmountSmallDisk(dataDir: string): void {
  spawnSync('umount', ['-l', diskIn(dataDir)]);
}

export function fillDatabaseDisk(dataDir: string): void {
  fill(diskIn(dataDir));
}

export function emptyDatabaseDisk(dataDir: string): void {
  rmSync(fillerIn(diskIn(dataDir)), { force: true });
}

/** Fills the disk, byte by byte at the end, because the server may be writing, too. */
function fill(disk: string): void {
  for (const pieceBytes of [1024 * 1024, 4096, 1])
    try {
      for (;;) appendFileSync(fillerIn(disk), Buffer.alloc(pieceBytes, 'x'));
    } catch (error) {
      if (!hasErrorCode(error, 'ENOSPC')) throw error;
    }
}

function run(program: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program}: ${(stderr || String(error)).trim()}`);
}
