import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname } from 'node:path';

const rotateAtBytes = 20 * 1024 * 1024;
const tailBytes = 16 * 1024;

/** Logs whose last attempt to open failed. */
const unwritable = new Set<string>();

/**
 * Opens a log for appending; a large one is first renamed to `.1`, so the folder stays bounded. A log must never
 * keep a process from starting (G28): /dev/null replaces a log that cannot be opened, as on a full disk.
 */
export function openLog(
  file: string,
  warn = (text: string): unknown => process.stderr.write(text),
): { descriptor: number; startBytes: number } {
  try {
    const opened = openRotated(file);
    unwritable.delete(file);
    return opened;
  } catch (error) {
    // Warns once: a failing process restarts every second.
    if (!unwritable.has(file)) warn(`No log in ${file}: ${String(error)}\n`);
    unwritable.add(file);
    return { descriptor: openSync(devNull, 'a'), startBytes: sizeOf(file) };
  }
}

function openRotated(file: string): ReturnType<typeof openLog> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (sizeOf(file) > rotateAtBytes) renameSync(file, `${file}.1`);
  return { descriptor: openSync(file, 'a', 0o600), startBytes: sizeOf(file) };
}

/** The last lines written after `startBytes`. */
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
