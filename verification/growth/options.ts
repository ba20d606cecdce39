import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';

export interface GrowthOptions {
  orders: number;
  /** Size of each prescription, in KiB. */
  pdfKb: number;
  dataDir: string;
  /** Where the page is written; null for nowhere. */
  page: string | null;
}

export function readOptions(args: readonly string[], root: string): GrowthOptions {
  const given = new Command('growth')
    .description(
      'Takes orders through the main job on a real stack and prints what each table takes on disk.',
    )
    .option('--orders <number>', 'orders to make', positive, 10_000)
    .option('--pdf-kb <number>', 'size of each prescription in KiB', positive, 20)
    .option('--data-dir <folder>', 'emptied first', join(root, '.data-growth'))
    .option('--page <file>', 'page to write, such as docs/growth.md')
    .exitOverride()
    .parse(args, { from: 'user' })
    .opts<{ orders: number; pdfKb: number; dataDir: string; page?: string }>();
  const page = given.page === undefined ? null : resolve(given.page);
  return { orders: given.orders, pdfKb: given.pdfKb, dataDir: resolve(given.dataDir), page };
}

function positive(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('takes a whole number from 1 on.');
  return number;
}
