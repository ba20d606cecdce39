/** A figure, its bar and its text. */

export type Unit = '/s' | 'ms' | 'MB' | 's' | 'µs';

/** `ratio`: product divided by raw limit; `value`: the product's figure itself. */
export type Bar = { of: 'ratio' | 'value' } & ({ atLeast: number } | { atMost: number });

/** `raw` is null where there is nothing to compare with; the ratio is the median over the rounds. */
export interface Measured {
  product: number;
  raw: number | null;
  ratio: number | null;
  note?: string;
  /** Beside a cost: calls per second and p99. */
  rate?: string;
  /** Microseconds of a core per request, by process. */
  cpu?: Record<string, number> | undefined;
}

export function isMet(bar: Bar, { product, ratio }: Measured): boolean {
  const figure = { ratio, value: product }[bar.of];
  if (figure === null) return false;
  return 'atLeast' in bar ? figure >= bar.atLeast : figure <= bar.atMost;
}

export function figureText(value: number, unit: Unit): string {
  return unit === '/s' ? `${numberText(value)}/s` : `${numberText(value)} ${unit}`;
}

export function numberText(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
