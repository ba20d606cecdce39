import { Presets, SingleBar } from 'cli-progress';
import { Option } from 'commander';
import { note, type Output } from '../output';
import { type Encoding, ENCODINGS, type RefusedLine } from './table-file';

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

/** Of a batch, as JSON; below the limit of 1 MiB for a body and for a message. */
const MAX_BATCH_BYTES = 512 * 1024;

/** In their order: at most `most` members in each, and about as many bytes of `sent` as a call may have. */
export function* batchesOf<Member>(
  members: readonly Member[],
  most: number,
  sent: (member: Member) => object,
): Generator<Member[]> {
  let batch: Member[] = [];
  let batchBytes = 0;
  for (const member of members) {
    const bytes = Buffer.byteLength(JSON.stringify(sent(member)));
    if (batch.length === most || (batch.length > 0 && batchBytes + bytes > MAX_BATCH_BYTES)) {
      yield batch;
      batch = [];
      batchBytes = 0;
    }
    batch.push(member);
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
  onProgress: OnProgress,
  { what = 'lines', written = {} }: { what?: string; written?: object } = {},
): Promise<void> {
  let done = 0;
  for (const batch of batches) {
    await write(batch).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StoppedImport(
        `${reason}\nStopped after ${done} of ${of} ${what}${countsIn(written)}. Import the same file again: it goes on.`,
        { cause: error },
      );
    });
    done += batch.length;
    onProgress(done, of);
  }
}

function countsIn(report: object): string {
  const counts = Object.entries(report).filter(
    ([name, count]) => typeof count === 'number' && !['orders', 'lines'].includes(name),
  );
  return counts.length === 0 ? '' : ` (${counts.map(([name, count]) => `${name} ${count}`).join(', ')})`;
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

interface Refusals {
  refused: readonly RefusedLine[];
  /** False when the bad lines have kept the file out. */
  isTaken: boolean;
  /** Not even --skip-bad could take the others. */
  isWhole?: boolean;
  /** What a line is about. */
  of: string;
}

/**
 * Answers with the counts, and names the refused lines: on the standard error, or with --json in the answer. Exit code 1
 * when the bad lines have kept the file out, 2 when the others were imported.
 */
export function answerImport(
  output: Output,
  counts: object,
  refusals: Refusals,
  notes: readonly string[] = [],
): void {
  const { refused, isTaken } = refusals;
  if (refused.length > 0) process.exitCode = isTaken ? 2 : 1;
  if (!output.isJsonAsked) for (const line of [...inWords(refusals), ...notes]) note(line);
  const lines = output.isJsonAsked && { refused_lines: refused };
  output.answer({ ...counts, refused: refused.length, ...lines });
}

function inWords({ refused, isTaken, isWhole, of }: Refusals): string[] {
  const lines = refused
    .slice(0, REFUSED_SHOWN)
    .map(({ line, key, reason }) => `line ${line} (${key ?? `of no ${of}`}): ${reason}`);
  if (refused.length > REFUSED_SHOWN) lines.push(`and ${refused.length - REFUSED_SHOWN} lines more`);
  if (refused.length === 0 || isTaken) return lines;
  const advice = isWhole
    ? `A line without its ${of} may be part of any ${of}, so not even --skip-bad helps: correct it first.`
    : 'Correct these lines, or import the others with --skip-bad.';
  return [...lines, `Nothing was imported. ${advice}`];
}
