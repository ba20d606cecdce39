import type { Bench, Block } from './bench';
import type { Bar, Measured, Unit } from './measured';

/** One line of the table: what is measured, against what, and what it must reach. */
export interface Row {
  name: string;
  unit: Unit;
  bar: Bar;
  /** Description of the compared figure. */
  against: string;
  /** Whether docs/performance.md shows how the cost divides among the processes. */
  sizing?: boolean;
  run: (bench: Bench) => Promise<Measured>;
}

export type Outcome =
  { row: Row; measured: Measured } | { row: Row; skipped: string } | { row: Row; failed: string };

/** A row throws it when it cannot be measured here. */
export class Skipped extends Error {}

export interface Blocks {
  product: Block;
  raw: Block;
  /** Removes what the blocks left, where that would be gigabytes. */
  clean?: () => Promise<void>;
}

const UNITS = { costUs: 'µs', perSecond: '/s', p50Ms: 'ms' } as const;

/** A row of two blocks that run in turn. */
export function alternating(
  name: string,
  figure: keyof typeof UNITS,
  held: Pick<Row, 'against' | 'bar' | 'sizing'>,
  blocks: (bench: Bench) => Promise<Blocks>,
): Row {
  const run: Row['run'] = async (bench) => {
    const { product, raw, clean } = await blocks(bench);
    const measured = await bench.alternate(figure, product, raw);
    await clean?.();
    return measured;
  };
  return { name, unit: UNITS[figure], ...held, run };
}

/** Bars of a ratio. */
export const atMost = (limit: number): Bar => ({ of: 'ratio', atMost: limit });
export const atLeast = (limit: number): Bar => ({ of: 'ratio', atLeast: limit });
