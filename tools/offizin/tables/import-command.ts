import { Presets, SingleBar } from 'cli-progress';
import { Option } from 'commander';
import type { RefusedLine } from './table-file';
import { type Encoding, ENCODINGS } from './read-text';

/** What the commands that import a table have in common: options, a bar, the report of refused lines. */

export interface ImportOptions {
  /** Found unless given. */
  encoding?: Encoding;
  /** Imports the good lines of a file that has bad ones. */
  skipBad?: boolean;
}

export type OnProgress = (done: number, of: number) => void;

const REFUSED_SHOWN = 50;

export function encodingOption(): Option {
  return new Option('--encoding <name>', 'of the file; found unless given').choices(ENCODINGS);
}

/** Lines of a table in batches, in their order. Throws with how far the import came: it never stops half-way in silence. */
export async function inBatches<Line>(
  batches: Iterable<readonly Line[]>,
  of: number,
  write: (batch: readonly Line[]) => Promise<void>,
  onProgress: OnProgress,
): Promise<void> {
  let done = 0;
  for (const batch of batches) {
    await write(batch).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(
        `${reason}\nStopped after ${done} of ${of} lines. Import the same file again: it goes on.`,
      );
    });
    done += batch.length;
    onProgress(done, of);
  }
}

export const SKIP_BAD = ['--skip-bad', 'import the good lines of a file that has bad ones', false] as const;

/** Runs an import beneath a bar on standard error that knows its end. */
export async function withBar<Report>(
  what: string,
  work: (onProgress: OnProgress) => Promise<Report>,
): Promise<Report> {
  const bar = new SingleBar(
    { format: `{bar} {value} of {total} ${what}`, stream: process.stderr },
    Presets.shades_classic,
  );
  const onProgress: OnProgress = (done, of) => (bar.isActive ? bar.update(done) : bar.start(of, done));
  return work(onProgress).finally(() => bar.stop());
}

/** Exit code 1 when the bad lines have kept the file out, 2 when the others were imported. */
export function sayRefused(refused: readonly RefusedLine[], isWritten: boolean): void {
  if (refused.length === 0) return;
  for (const { line, key, reason } of refused.slice(0, REFUSED_SHOWN))
    console.error(`line ${line} (${key ?? 'of no product'}): ${reason}`);
  if (refused.length > REFUSED_SHOWN) console.error(`and ${refused.length - REFUSED_SHOWN} lines more`);
  process.exitCode = isWritten ? 2 : 1;
  if (!isWritten)
    console.error('Nothing was imported. Correct these lines, or import the others with --skip-bad.');
}
