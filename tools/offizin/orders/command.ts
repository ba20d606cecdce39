import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { ORDER_STATUSES, PAYMENT_STATUSES } from '@offizin/contracts/orders';
import { Offizin } from '../../../clients/typescript/src/client';
import { type ApiAccess, apiKeyOption, baseUrlOption } from '../api-access';
import type { Output } from '../output';
import { answerImport, encodingOption, SKIP_BAD, withBar } from '../tables/import-command';
import { type ExportCounts, type ExportFilters, exportToFile, exportToStream } from './export-orders';
import { importOrdersFile, type OrderImportOptions } from './import-orders';

type AccessOf = (given: Partial<ApiAccess>) => ApiAccess;

export function addOrderCommands(program: Command, accessOf: AccessOf, output: Output): void {
  addExport(program, accessOf, output);
  addImport(program, accessOf, output);
}

interface ExportOptions extends Partial<ApiAccess> {
  output?: string;
  german: boolean;
  shop?: string;
  search?: string;
}

function addExport(program: Command, accessOf: AccessOf, output: Output): void {
  program
    .command('export-orders')
    .description('write orders as CSV, a row for each line; the file appears when it is complete')
    .addOption(baseUrlOption())
    .addOption(apiKeyOption('orders.read'))
    .option('-o, --output <file>', 'where to; an earlier file is replaced. Left out: the standard output')
    .option('--german', 'as German Excel reads it: semicolons, decimal commas, a byte order mark', false)
    .addOption(new Option('--status <status>', 'only these').choices(ORDER_STATUSES))
    .addOption(new Option('--payment-status <status>', 'only these').choices(PAYMENT_STATUSES))
    .option('--shop <id>', 'only those of this shop')
    .option('--external-id <id>', 'only those with this id')
    .option('--created-from <time>', 'ISO 8601; created then or later')
    .option('--created-to <time>', 'ISO 8601; created before then')
    .option('--updated-since <time>', 'ISO 8601; changed then or later')
    .option('--search <text>', 'begin of customer name, e-mail, order number or external id')
    .addOption(
      new Option('--sort <order>', 'of the orders').choices(['created_at', '-created_at', 'updated_at']),
    )
    .action(async (options: ExportOptions & Record<string, string>) => {
      const asked = { access: accessOf(options), filters: filtersOf(options), german: options.german };
      if (options.output === undefined) {
        const counts = await exportToStream(asked, process.stdout);
        console.error(inWords(counts, output));
        return;
      }
      const file = resolve(options.output);
      const counts = await withBar('orders', (onProgress) => exportToFile(asked, file, onProgress));
      output.answer({ file, ...counts });
    });
}

/** The standard output has the file, so this goes beside it. */
function inWords(counts: ExportCounts, output: Output): string {
  return output.isJsonAsked ? JSON.stringify(counts) : `${counts.orders} orders, ${counts.rows} rows`;
}

function filtersOf(options: ExportOptions & Record<string, unknown>): ExportFilters {
  const { status, paymentStatus, shop, externalId, createdFrom, createdTo, updatedSince, search, sort } =
    options;
  const filters = {
    status,
    payment_status: paymentStatus,
    shop_id: shop,
    external_id: externalId,
    created_from: createdFrom,
    created_to: createdTo,
    updated_since: updatedSince,
    q: search,
    sort,
  };
  const given = Object.entries(filters).filter(([, filter]) => filter !== undefined);
  return Object.fromEntries(given);
}

type ImportCommandOptions = OrderImportOptions & Partial<ApiAccess>;

function addImport(program: Command, accessOf: AccessOf, output: Output): void {
  program
    .command('import-orders')
    .description('create and update orders from a CSV file with the columns of export-orders')
    .addOption(baseUrlOption())
    .addOption(apiKeyOption('orders.write and orders.read'))
    .addOption(encodingOption())
    .option(...SKIP_BAD)
    .option('--shop <id>', 'the shop of all orders, instead of the column shop_id')
    .option('--dry-run', 'check the file and its shops; write nothing', false)
    .option('--again', 'write over what has changed since the same file was imported, within 24 hours', false)
    .argument('<file>')
    .action(async (file: string, options: ImportCommandOptions) => {
      // A batch of orders that hold stock may take longer than a call, and is then found finished by its repeat.
      const offizin = new Offizin({ ...accessOf(options), timeoutMs: 180_000, retries: { maxRetries: 8 } });
      const report = await withBar('orders', (onProgress) =>
        importOrdersFile(offizin, file, options, onProgress),
      );
      const { refused, isTaken, isWhole, encoding, orders, ...counts } = report;
      const shown = options.dryRun ? { dry_run: true, encoding, orders } : { encoding, orders, ...counts };
      const notes = counts.repeated > 0 ? [repeatedInWords(counts.repeated)] : [];
      answerImport(output, shown, { refused, isTaken, isWhole, of: 'order' }, notes);
    });
}

function repeatedInWords(count: number): string {
  return (
    `${count} orders were in an import of the same file within the last 24 hours and were left as they are. ` +
    'Write them again with --again.'
  );
}
