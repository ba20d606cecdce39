import { createHash, randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { MAX_BATCH_MEMBERS } from '@offizin/contracts/calls/batches';
import { REPLAYED_HEADER } from '@offizin/contracts/calls/idempotency';
import type { OrderStatus } from '@offizin/contracts/orders/orders';
import { Offizin } from '../../../clients/typescript/src/client';
import { NotFound } from '../../../clients/typescript/src/errors';
import { type AccessOf, type ApiAccess, byKey } from '../api-access';
import type { Output } from '../output';
import {
  answerImport,
  batchesOf,
  encodingOption,
  type ImportOptions,
  inBatches,
  type OnProgress,
  SKIP_BAD,
  withBar,
} from '../tables/import-command';
import { checkTable, type Encoding, readText, type RefusedLine } from '../tables/table-file';
import { type FileOrder, type FileOrders, OrderRow, ordersIn, problemOfRow } from './orders-in-file';

type ImportCommandOptions = OrderImportOptions & Partial<ApiAccess>;

export function addOrderImport(program: Command, accessOf: AccessOf, output: Output): void {
  const command = program
    .command('import-orders')
    .description('create and update orders from a CSV file with the columns of export-orders');
  byKey(command, 'orders.write and orders.read')
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

interface OrderImportOptions extends ImportOptions {
  /** The shop of all orders; else each row names its own. */
  shop?: string;
  /** Checks the file and the shops, and writes nothing. */
  dryRun?: boolean;
  /** Writes the file although an import of it ended within the last 24 hours. */
  again?: boolean;
}

interface OrderImportReport {
  encoding: Encoding;
  /** Good orders of the file. */
  orders: number;
  created: number;
  updated: number;
  unchanged: number;
  /** Orders whose status was changed to that of the file. */
  status_changed: number;
  /** Orders of batches that an earlier import of the same file has written; counted above as they were then. */
  repeated: number;
  refused: RefusedLine[];
  /** False when a bad line has kept the whole file out. */
  isTaken: boolean;
  /** A bad line may belong to an order that would be imported without it, so that `skipBad` cannot help. */
  isWhole: boolean;
}

/**
 * Checks the whole file, then writes its orders in batches: all of them, or with `skipBad` those without a bad line. The
 * key of each batch follows from the orders. The same file again within 24 hours, such as after an interruption, changes
 * nothing that has been written and goes on with the rest.
 */
async function importOrdersFile(
  offizin: Offizin,
  file: string,
  options: OrderImportOptions,
  onProgress: OnProgress,
): Promise<OrderImportReport> {
  const { text, encoding } = await readText(file, options.encoding);
  const { orders, refused, isWhole } = await checkedOrders(offizin, file, text, options.shop);
  const counts = { created: 0, updated: 0, unchanged: 0, status_changed: 0, repeated: 0 };
  const report = { encoding, orders: orders.length, ...counts, refused, isTaken: false, isWhole };
  if (isWhole || (refused.length > 0 && !options.skipBad)) return report;
  if (options.dryRun) return { ...report, isTaken: true };
  const content = createHash('sha256').update(JSON.stringify(orders)).digest('hex').slice(0, 32);
  const digest = options.again ? randomUUID() : content;
  const batches = batchesOf(orders, MAX_BATCH_MEMBERS, ({ body }) => body);
  const write = (batch: readonly FileOrder[]): Promise<void> =>
    writeBatch(offizin, batch, `import-orders ${digest} ${batch[0]?.line}`, report);
  await inBatches(batches, orders.length, write, onProgress, { what: 'orders', written: report });
  return { ...report, isTaken: true };
}

async function checkedOrders(
  offizin: Offizin,
  file: string,
  text: string,
  shop: string | undefined,
): Promise<FileOrders & Pick<OrderImportReport, 'isWhole'>> {
  if (!/[\r\n]$/.test(text))
    throw new Error(
      'The last line has no end: the file was cut. If it is whole, end that line and import it again.',
    );
  const table = checkTable(file, text, { dto: OrderRow, keyColumn: 'external_id', problemOf: problemOfRow });
  const isWhole = table.unreadable > 0 || table.refused.some(({ key }) => key === null);
  const { orders, refused } = ordersIn(table, shop);
  const unknown = await unknownShops(offizin, orders);
  const ofUnknown = orders.filter(({ body }) => unknown.has(body.shop_id));
  const reason = 'shop_id: the organization of the key has no such shop; --shop names another one';
  return {
    orders: orders.filter(({ body }) => !unknown.has(body.shop_id)),
    refused: [...refused, ...ofUnknown.map(({ line, body }) => ({ line, key: body.external_id, reason }))],
    isWhole,
  };
}

/** Before anything is written: a shop that is unknown would be found half-way otherwise. */
async function unknownShops(offizin: Offizin, orders: readonly FileOrder[]): Promise<Set<string>> {
  const unknown = new Set<string>();
  for (const shopId of new Set(orders.map(({ body }) => body.shop_id))) {
    try {
      await offizin.orders.list({ shop_id: shopId, limit: 1 }).firstPage();
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      unknown.add(shopId);
    }
  }
  return unknown;
}

async function writeBatch(
  offizin: Offizin,
  batch: readonly FileOrder[],
  idempotencyKey: string,
  report: OrderImportReport,
): Promise<void> {
  const onResponse = ({ headers }: { headers: Headers }): void => {
    if (headers.has(REPLAYED_HEADER)) report.repeated += batch.length;
  };
  const orders = batch.map(({ body }) => body);
  const { results } = await offizin.orders.upsertBatch({ orders }, { idempotencyKey, onResponse });
  const moves: { order: FileOrder; order_id: string; status: OrderStatus }[] = [];
  for (const { index, status: outcome, order_id, ...problem } of results) {
    const order = batch[index];
    if (!order) continue;
    if (outcome === 'error') report.refused.push(refusal(order, problem));
    else report[outcome] += 1;
    if (order_id !== null && order.status !== undefined)
      moves.push({ order, order_id, status: order.status });
  }
  if (moves.length === 0) return;
  const patches = moves.map(({ order_id, status }) => ({ order_id, status }));
  const moved = await offizin.orders.patchStatusBatch(
    { patches },
    { idempotencyKey: `${idempotencyKey} status` },
  );
  for (const { index, status: outcome, ...problem } of moved.results) {
    const order = moves[index]?.order;
    if (outcome === 'updated') report.status_changed += 1;
    else if (outcome === 'error' && order) report.refused.push(refusal(order, problem, 'status: '));
  }
}

interface MemberProblem {
  message?: string;
  details?: { field: string; message: string }[];
}

function refusal(
  { line, body }: FileOrder,
  { message = '', details = [] }: MemberProblem,
  of = '',
): RefusedLine {
  const fields = details.map(({ field, message: problem }) => `${field}: ${problem}`).join('; ');
  return { line, key: body.external_id, reason: `${of}${fields || message}` };
}
