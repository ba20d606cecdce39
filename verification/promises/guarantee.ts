import type { History } from '@offizin/testkit/load/history';
import type { Random } from '../../tools/demo/random';
import type { Trial, TrialOptions } from './trial';

/** One promise of the design, with the faults that test it. One file each, in the folder of its number. */
export interface Guarantee {
  /** `G1` … */
  id: string;
  promise: string;
  /** Whether it belongs to the short selection, which `npm test` runs. */
  isShort: boolean;
  run: (bench: Bench) => Promise<Verdict[]>;
}

/** One row of the table at the end. */
export interface Verdict {
  fault: string;
  trials: string;
  figure: string;
  bar: string;
  /** `skipped`: this machine cannot inject the fault; `figure` says why. */
  result: 'held' | 'broken' | 'skipped';
}

/** What a promise needs for its trials. */
export interface Bench {
  random: Random;
  history: History;
  /** The value for the full or the short run. */
  pick: <T>(full: T, short: T) => T;
  /** Starts a separate stack, stopped when the promise is done. */
  open: (options?: TrialOptions) => Promise<Trial>;
  /** Runs after the stacks opened after this call have stopped, such as to close a proxy. */
  atEnd: (work: () => Promise<void>) => void;
  say: (line: string) => void;
}

export function verdict(holds: boolean, row: Omit<Verdict, 'result'>): Verdict {
  return { ...row, result: holds ? 'held' : 'broken' };
}

/** A few of many, for a readable figure. */
export function some(values: readonly string[]): string {
  if (values.length === 0) return '0';
  return `${values.length} (${values.slice(0, 2).join('; ')}${values.length > 2 ? '; …' : ''})`;
}
