import { Presets, SingleBar } from 'cli-progress';
import { note, type Output } from '../output';
import type { AcceptedLine, RefusedLine } from './table-file';

/** Importing a table in batches: a bar, what stopped it, the report of refused lines. */

export type OnProgress = (done: number, of: number) => void;

const REFUSED_SHOWN = 50;

/** Of a batch, as JSON; below the limit of 1 MiB for a body and for a message. */
const MAX_BATCH_BYTES = 512 * 1024;

/** In their order: at most `most` lines in each, and about as many bytes as a call may have. */
export function* batchesOf<Line>(
  lines: readonly AcceptedLine<Line>[],
  most: number,
): Generator<AcceptedLine<Line>[]> {
  let batch: AcceptedLine<Line>[] = [];
  let batchBytes = 0;
  for (const line of lines) {
    const bytes = Buffer.byteLength(JSON.stringify(line.value));
    if (batch.length === most || (batch.length > 0 && batchBytes + bytes > MAX_BATCH_BYTES)) {
      yield batch;
      batch = [];
      batchBytes = 0;
    }
    batch.push(line);
    batchBytes += bytes;
  }
  if (batch.length > 0) yield batch;
}

/** An import that stopped half-way; `cause` is what stopped it. */
export class StoppedImport extends Error {
  override readonly name = 'StoppedImport';
}

/**
 * Lines of a table in batches, in their order. Throws `StoppedImport`, which says how far the import came: `written` has
 * the counts of its report so far.
 */
export async function inBatches<Line>(
  batches: Iterable<readonly Line[]>,
  of: number,
  write: (batch: readonly Line[]) => Promise<void>,
  { onProgress, written }: { onProgress: OnProgress; written: object },
): Promise<void> {
  let done = 0;
  for (const batch of batches) {
    await write(batch).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StoppedImport(
        `${reason}\nStopped after ${done} of ${of} lines${countsIn(written)}. Import the same file again: it goes on.`,
        { cause: error },
      );
    });
    done += batch.length;
    onProgress(done, of);
  }
}

function countsIn(report: object): string {
  const counts = Object.entries(report).filter(([, count]) => typeof count === 'number');
  return counts.length === 0 ? '' : ` (${counts.map(([name, count]) => `${name} ${count}`).join(', ')})`;
}

/** Runs an import beneath a bar on standard error that knows its end. */
export async function withBar<Report>(work: (onProgress: OnProgress) => Promise<Report>): Promise<Report> {
  const bar = new SingleBar(
    { format: '{bar} {value} of {total} products', stream: process.stderr },
    Presets.shades_classic,
  );
  const onProgress: OnProgress = (done, of) => (bar.isActive ? bar.update(done) : bar.start(of, done));
  return work(onProgress).finally(() => bar.stop());
}

interface Refusals {
  refused: readonly RefusedLine[];
  /** False when the bad lines have kept the file out. */
  isTaken: boolean;
}

/**
 * Answers with the counts, and names the refused lines: on the standard error, or with --json in the answer. Exit code 1
 * when the bad lines have kept the file out, 2 when the others were imported.
 */
export function answerImport(output: Output, counts: object, refusals: Refusals): void {
  const { refused, isTaken } = refusals;
  if (refused.length > 0) process.exitCode = isTaken ? 2 : 1;
  if (!output.isJsonAsked) for (const line of inWords(refusals)) note(line);
  const lines = output.isJsonAsked && { refused_lines: refused };
  output.answer({ ...counts, refused: refused.length, ...lines });
}

function inWords({ refused, isTaken }: Refusals): string[] {
  const lines = refused
    .slice(0, REFUSED_SHOWN)
    .map(({ line, key, reason }) => `line ${line} (${key ?? 'of no product'}): ${reason}`);
  if (refused.length > REFUSED_SHOWN) lines.push(`and ${refused.length - REFUSED_SHOWN} lines more`);
  if (refused.length === 0 || isTaken) return lines;
  return [...lines, 'Nothing was imported. Correct these lines, or import the others with --skip-bad.'];
}
