import { join, resolve } from 'node:path';
import { Command } from 'commander';
import type { WarmUp } from './rounds';

export interface BenchOptions {
  /** Beginnings of row names; all rows when empty. */
  only: string[];
  /** Small data and short blocks: shows that everything works, not how fast it is. */
  quick: boolean;
  dataDir: string;
  /** Where the page is written; null for nowhere. */
  page: string | null;
  list: boolean;
}

/**
 * Blocks of product and raw limit in turn; the median of the rounds counts. Sized so that all rows take at most 25 minutes
 * with a seeded data folder.
 */
export interface Pace extends WarmUp {
  rounds: number;
  blockMs: number;
}

/** Throws with a line for people when the arguments make no sense. */
export function readOptions(args: readonly string[], root: string): BenchOptions {
  const command = new Command('bench')
    .description('Measures the product against its raw limits, in turn, and writes docs/performance.md.')
    .option('--only <prefix>', 'only rows whose name begins so; may be given again', collect, [])
    .option('--quick', 'small data, short blocks, no page', false)
    .option('--list', 'print the names of the rows and end', false)
    .option('--data-dir <folder>', 'where data and seed stay', join(root, '.data-bench'))
    .exitOverride();
  const given = command.parse(args, { from: 'user' }).opts<{
    only: string[];
    quick: boolean;
    list: boolean;
    dataDir: string;
  }>();
  const isFull = !given.quick && given.only.length === 0;
  const page = isFull ? join(root, 'docs', 'performance.md') : null;
  return { ...given, dataDir: resolve(given.dataDir), page };
}

export function paceOf({ quick }: Pick<BenchOptions, 'quick'>): Pace {
  if (quick) return { rounds: 1, blockMs: 400, warmUpMs: 100, warmUpLimitMs: 0 };
  return { rounds: 3, blockMs: 2_000, warmUpMs: 1_500, warmUpLimitMs: 20_000 };
}

export function isWanted(name: string, only: readonly string[]): boolean {
  return only.length === 0 || only.some((prefix) => name.startsWith(prefix));
}

function collect(prefix: string, before: string[]): string[] {
  return [...before, prefix];
}
