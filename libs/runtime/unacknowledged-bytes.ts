import { existsSync, fstatSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** Only Linux has them. */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'].filter((path) => existsSync(path));
/** Columns: slot, local, remote, state, tx_queue:rx_queue, timer, retransmits, uid, timeout, inode. */
const ROW = /^ *\d+: \S+ \S+ \S+ ([0-9A-F]+):\S+ \S+ \S+ +\d+ +\d+ (\d+)/gm;
const NOTHING = /^0+$/;
/** Linux answers with whole rows, at most one page of memory at a time. */
const PAGE_BYTES = 64 * 1024;

export function inodeOf(descriptor: number): number {
  return fstatSync(descriptor).ino;
}

/**
 * Bytes that the kernel holds because their peer has not acknowledged them, by the inode of the socket. A read costs
 * some microseconds per connection of the host or container, in a thread of the pool.
 */
export async function unacknowledgedBytes(): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  for (const table of TABLES) await addRows(table, found);
  return found;
}

async function addRows(path: string, found: Map<number, number>): Promise<void> {
  const table = await open(path);
  try {
    const page = Buffer.allocUnsafe(PAGE_BYTES);
    for (;;) {
      const { bytesRead } = await table.read(page, 0, PAGE_BYTES, null);
      if (bytesRead === 0) return;
      for (const [, bytes = '', inode] of page.toString('latin1', 0, bytesRead).matchAll(ROW))
        if (!NOTHING.test(bytes)) found.set(Number(inode), parseInt(bytes, 16));
    }
  } finally {
    await table.close();
  }
}
