import { statfs } from 'node:fs/promises';
import { type Finding, ok, problem, warning } from './finding';

const GIB = 1024 ** 3;
const TOO_LITTLE_BYTES = GIB;
const LITTLE_SHARE = 0.1;

/** What is left on the disk of a folder: a full one stops the database and the broker. */
export async function checkDisk(folder: string): Promise<Finding> {
  const { bavail, blocks, bsize, ffree, files } = await statfs(folder);
  return diskFinding(folder, {
    freeBytes: bavail * bsize,
    share: Math.min(bavail / blocks, files > 0 ? ffree / files : 1),
  });
}

/** `share` is what is free of blocks or of inodes, whichever is less, 0 to 1. */
export function diskFinding(
  folder: string,
  { freeBytes, share }: { freeBytes: number; share: number },
): Finding {
  const found = `${(freeBytes / GIB).toFixed(1)} GiB free (${Math.floor(share * 100)} %)`;
  const advice =
    'Free some space or give the volume more. Old logs and the event stream may go; the database may not.';
  if (freeBytes < TOO_LITTLE_BYTES) return problem(`disk of ${folder}`, found, advice);
  if (share < LITTLE_SHARE) return warning(`disk of ${folder}`, found, advice);
  return ok(`disk of ${folder}`, found);
}
