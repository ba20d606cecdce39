import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NatsServer } from '@offizin/local-stack/nats';

/** Everything that the broker knew is gone. Only while it is dead. */
export function deleteStore(broker: NatsServer): void {
  rmSync(broker.storeDir, { recursive: true, force: true });
}

/** Where a stack on this data folder keeps the broker's files; see libs/local-stack/nats.ts. */
const storeIn = (dataDir: string): string => join(dataDir, 'nats', 'jetstream');

/** Puts the broker's store on a small memory disk. Throws where the system does not let us mount. */
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

/** Takes all the space that is left. */
export function fillStore(broker: NatsServer): void {
  const { bavail, bsize } = statfsSync(broker.storeDir);
  writeFileSync(fillerIn(broker), Buffer.alloc(bavail * bsize, 'x'));
}

export function emptyStore(broker: NatsServer): void {
  rmSync(fillerIn(broker), { force: true });
}

const fillerIn = (broker: NatsServer): string => join(broker.storeDir, 'filler');
