import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import { MAX_BATCH_MEMBERS } from '@offizin/contracts/calls/batches';
import { REPLAYED_HEADER } from '@offizin/contracts/calls/idempotency';
import { InventoryAdjustRequest } from '@offizin/contracts/products/inventory';
import { Offizin } from '../../clients/typescript/src/client';
import { type AccessOf, type ApiAccess, byKey } from './api-access';
import type { Output } from './output';
import {
  answerImport,
  batchesOf,
  encodingOption,
  type ImportOptions,
  inBatches,
  type OnProgress,
  SKIP_BAD,
  withBar,
} from './tables/import-command';
import {
  type AcceptedLine,
  checkTable,
  type Encoding,
  readText,
  type RefusedLine,
} from './tables/table-file';

type InventoryOptions = ImportOptions & { dryRun?: boolean };

export function addInventoryCommand(program: Command, accessOf: AccessOf, output: Output): void {
  const command = program
    .command('import-inventory')
    .description('book counts and movements of stock from a CSV or JSON Lines file');
  byKey(command, 'inventory.write')
    .addOption(encodingOption())
    .option(...SKIP_BAD)
    .option('--dry-run', 'check the file; book nothing', false)
    .argument('<file>')
    .action(async (file: string, options: InventoryOptions & Partial<ApiAccess>) => {
      const offizin = new Offizin(accessOf(options));
      const { refused, isTaken, lines, ...counts } = await withBar('lines', (onProgress) =>
        importInventoryFile(offizin, file, options, onProgress),
      );
      const notes = [
        ...(counts.repeated > 0 ? [repeatedInWords(counts.repeated)] : []),
        ...(isTaken && refused.length > 0 && !options.dryRun ? [OTHERS_BOOKED] : []),
      ];
      const { encoding } = counts;
      const shown = options.dryRun ? { dry_run: true, encoding, lines } : counts;
      answerImport(output, shown, { refused, isTaken, of: 'product' }, notes);
    });
}

const OTHERS_BOOKED = 'The others are booked. Import corrected lines as a file of their own.';

function repeatedInWords(count: number): string {
  return `${count} lines were in an import of the same file within the last 24 hours: they count once.`;
}

interface InventoryImportReport {
  encoding: Encoding;
  /** Good lines of the file. */
  lines: number;
  updated: number;
  unchanged: number;
  /** Lines of batches that an earlier import of the same file has booked; counted above as they were then. */
  repeated: number;
  refused: RefusedLine[];
  /** False when a bad line has kept the whole file out. */
  isTaken: boolean;
}

/**
 * Checks the whole file, then books it: counts (`quantity`) and movements (`delta`) in batches, in the order of the file. The
 * key of each batch follows from the file, so that the same file booked again within 24 hours, such as after an interruption,
 * counts nothing twice.
 */
async function importInventoryFile(
  offizin: Offizin,
  file: string,
  options: InventoryOptions,
  onProgress: OnProgress,
): Promise<InventoryImportReport> {
  const { text, encoding } = await readText(file, options.encoding);
  const rules = { dto: InventoryAdjustRequest, keyColumn: 'p1_id', problemOf } as const;
  const { accepted, refused } = checkTable(file, text, rules);
  const counts = { updated: 0, unchanged: 0, repeated: 0 };
  const report = { encoding, lines: accepted.length, ...counts, refused, isTaken: false };
  if (refused.length > 0 && !options.skipBad) return report;
  if (options.dryRun) return { ...report, isTaken: true };
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 32);
  const write = (batch: readonly AcceptedLine<InventoryAdjustRequest>[]): Promise<void> =>
    book(offizin, batch, `import-inventory ${digest} ${batch[0]?.line}`, report);
  const batches = batchesOf(accepted, MAX_BATCH_MEMBERS, ({ value }) => value);
  await inBatches(batches, accepted.length, write, onProgress, { written: report });
  return { ...report, isTaken: true };
}

/** As the service decides it; here before anything is booked. */
function problemOf({ delta, quantity }: InventoryAdjustRequest): string | undefined {
  return (delta === undefined) === (quantity === undefined)
    ? 'needs delta or quantity, and not both'
    : undefined;
}

async function book(
  offizin: Offizin,
  batch: readonly AcceptedLine<InventoryAdjustRequest>[],
  idempotencyKey: string,
  report: InventoryImportReport,
): Promise<void> {
  const adjustments = batch.map(({ value }) => value);
  const { results } = await offizin.inventory.adjustBatch(
    { adjustments },
    {
      idempotencyKey,
      onResponse: ({ headers }) => {
        if (headers.has(REPLAYED_HEADER)) report.repeated += batch.length;
      },
    },
  );
  for (const { index, status, message = '' } of results) {
    const { line = 0, value } = batch[index] ?? {};
    if (status === 'error') report.refused.push({ line, key: value?.p1_id ?? null, reason: message });
    else report[status] += 1;
  }
}
