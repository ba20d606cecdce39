import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasErrorCode } from '@offizin/local-stack/error-code';
import type { NatsServer } from '@offizin/local-stack/nats';

/** Deletes all files of the broker; only while it is stopped. */
export function deleteStore(broker: NatsServer): void {
  rmSync(broker.storeDir, { recursive: true, force: true });
}

/** Where a stack on this data folder stores the broker's files; see libs/local-stack/nats.ts. */
const storeIn = (dataDir: string): string => join(dataDir, 'nats', 'jetstream');

/** Puts the broker's store on a small memory disk. Throws without the right to mount. */
export function mountSmallStore(dataDir: string, megabytes: number): void {
  const store = storeIn(dataDir);
  mkdirSync(store, { recursive: true });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', store], {
    encoding: 'utf8',
  });
  if (mounted.status !== 0) throw new Error(`no mount: ${(mounted.stderr || String(mounted.error)).trim()}`);
}

export function unmountStore(dataDir: string): void {
  spawnSync('umount', [storeIn(dataDir)]);
}

/** Fills the disk, byte by byte at the end, because the broker may be writing, too. */
export function fillStore(broker: NatsServer): void {
  for (const pieceBytes of [1024 * 1024, 4096, 1])
    try {
      for (;;) appendFileSync(fillerIn(broker), Buffer.alloc(pieceBytes, 'x'));
    } catch (error) {
      if (!hasErrorCode(error, 'ENOSPC')) throw error;
    }
}

export function emptyStore(broker: NatsServer): void {
  rmSync(fillerIn(broker), { force: true });
}

const fillerIn = (broker: NatsServer): string => join(broker.storeDir, 'filler');
