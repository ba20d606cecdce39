import type { Bench } from './bench';

/** One line of the table: what is measured, against what, and what it must reach. */
export interface Row {
  name: string;
  unit: Unit;
  bar: Bar;
  /** Description of the compared figure. */
  against: string;
  run: (bench: Bench) => Promise<Measured>;
}

export type Unit = '/s' | 'ms' | 'MB' | 'KB' | 's' | 'rows' | 'µs of a core';

/**
 * `ratio`: product divided by raw limit; `difference`: what the product adds to it; `value`: the product's figure itself.
 * A figure without a bar is shown as context for its neighbours.
 */
export type Bar =
  | { of: 'ratio' | 'value'; atLeast: number }
  | { of: 'ratio' | 'value' | 'difference'; atMost: number }
  | { of: 'nothing' };

/** `raw` is null where there is nothing to compare with; the ratio is the median over the rounds. */
export interface Measured {
  product: number;
  raw: number | null;
  ratio: number | null;
  note?: string;
  /** Microseconds of a core per request, by process. */
  cpu?: Record<string, number> | undefined;
}

export type Outcome =
  { row: Row; measured: Measured } | { row: Row; skipped: string } | { row: Row; failed: string };

/** A row throws it when it cannot be measured here. */
export class Skipped extends Error {}

/** Null where there is no bar. */
export function isMet(bar: Bar, { product, raw, ratio }: Measured): boolean | null {
  if (bar.of === 'nothing') return null;
  const figures = { ratio, value: product, difference: raw === null ? null : product - raw };
  const figure = figures[bar.of];
  if (figure === null) return false;
  return 'atLeast' in bar ? figure >= bar.atLeast : figure <= bar.atMost;
}
