import { readFileSync, writeFileSync } from 'node:fs';
import type { Measured } from './measured';
import type { Outcome, Row } from './row';

/** What `--save` writes and `--page-of` reads: a whole run takes hours on a slow machine, and may be made in parts. */
interface SavedRun {
  /** Of describeMachine; the first line is the date. */
  machine: string[];
  outcomes: { row: string; measured?: Measured; skipped?: string; failed?: string }[];
}

export function saveRun(file: string, machine: string[], outcomes: readonly Outcome[]): void {
  const saved = outcomes.map(({ row, ...outcome }) => ({ row: row.name, ...outcome }));
  writeFileSync(file, JSON.stringify({ machine, outcomes: saved } satisfies SavedRun));
}

/** The last outcome of each row. Throws when a row is in none of the files, or the parts are of different machines. */
export function readRuns(
  files: readonly string[],
  rows: readonly Row[],
): { machine: string[]; outcomes: Outcome[] } {
  const runs = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as SavedRun);
  const [[firstDate = '', ...machine] = [], ...others] = runs.map((run) => run.machine);
  if (others.some(([, ...other]) => other.join() !== machine.join()))
    throw new Error('The parts were measured on different machines, or with other versions.');
  const outcomeOf = new Map(runs.flatMap((run) => run.outcomes.map((outcome) => [outcome.row, outcome])));
  const missing = rows.filter(({ name }) => !outcomeOf.has(name));
  if (missing.length > 0) throw new Error(`Not measured: ${missing.map(({ name }) => name).join('; ')}`);
  const outcomes = rows.map((row): Outcome => {
    const { measured, skipped, failed = '' } = outcomeOf.get(row.name) ?? {};
    if (measured) return { row, measured };
    return skipped === undefined ? { row, failed } : { row, skipped };
  });
  const dates = others.map(([date = '']) => date.replace(/^Date: /, ''));
  return { machine: [[firstDate, ...dates].join(', '), ...machine], outcomes };
}
