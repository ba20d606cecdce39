import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const rotateAtBytes = 20 * 1024 * 1024;
const tailBytes = 16 * 1024;

/** Opens a log for appending; one that has grown large is kept once as `.1`, so the folder stays bounded. */
export function openLog(file: string): { descriptor: number; startBytes: number } {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (sizeOf(file) > rotateAtBytes) renameSync(file, `${file}.1`);
  return { descriptor: openSync(file, 'a', 0o600), startBytes: sizeOf(file) };
}

/** The last lines that were written after `startBytes`. */
export function lastLines(file: string, startBytes: number, lineLimit = 20): string {
  if (!existsSync(file)) return '';
  const from = Math.max(startBytes, sizeOf(file) - tailBytes);
  const buffer = Buffer.alloc(tailBytes);
  const descriptor = openSync(file, 'r');
  try {
    const length = readSync(descriptor, buffer, 0, tailBytes, from);
    return buffer.subarray(0, length).toString('utf8').trimEnd().split('\n').slice(-lineLimit).join('\n');
  } finally {
    closeSync(descriptor);
  }
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}
