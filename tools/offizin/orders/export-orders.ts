import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { parse } from 'csv-parse';
import { ORDER_STATUSES, PAYMENT_STATUSES } from '@offizin/contracts/orders/orders';
import type { operations } from '../../../clients/typescript/src/generated/api';
import { Offizin, value } from '../../../clients/typescript/src/client';
import { type AccessOf, type ApiAccess, byKey } from '../api-access';
import type { Output } from '../output';
import { type OnProgress, withBar } from '../tables/import-command';

interface ExportOptions extends Partial<ApiAccess> {
  output?: string;
  german: boolean;
  shop?: string;
  search?: string;
}

export function addOrderExport(program: Command, accessOf: AccessOf, output: Output): void {
  const command = program
    .command('export-orders')
    .description('write orders as CSV, a row for each line; the file appears when it is complete');
  byKey(command, 'orders.read')
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

type ExportFilters = Omit<
  NonNullable<operations['orders.list']['parameters']['query']>,
  'limit' | 'offset' | 'cursor'
>;

interface OrderExportOptions {
  access: ApiAccess;
  filters: ExportFilters;
  /** Separator `;`, decimal comma and a byte order mark, as German Excel reads them. */
  german: boolean;
}

interface ExportCounts {
  orders: number;
  rows: number;
  bytes: number;
}

type Write = (chunk: Uint8Array) => Promise<void>;

/** Where an answer goes; each attempt begins a new one. */
interface Target {
  maxRetries: number;
  begin: () => Promise<Write>;
}

/**
 * Writes a file under a temporary name beside its place, and renames it when all of it is on the disk: the name never
 * holds a part. An answer that breaks off is asked for again. Throws where something else than a file has the name,
 * such as a folder or `/dev/null`, which the rename would replace.
 */
async function exportToFile(
  options: OrderExportOptions,
  file: string,
  onProgress: OnProgress,
): Promise<ExportCounts> {
  const present = await stat(file).catch(() => null);
  if (present && !present.isFile()) throw new Error(`${file} is not a file, so it is not replaced.`);
  const draft = `${file}.${process.pid}.part`;
  const forget = removedOnSignal(draft);
  let handle: FileHandle | undefined;
  const begin = async (): Promise<Write> => {
    await handle?.close();
    // Customers' data: for the owner of the file only.
    const opened = await open(draft, 'w', 0o600);
    handle = opened;
    return (chunk) => opened.writeFile(chunk);
  };
  try {
    const counts = await exportOrders(options, { maxRetries: 4, begin }, onProgress);
    await handle?.sync();
    await rename(draft, file);
    return counts;
  } finally {
    await handle?.close();
    await rm(draft, { force: true });
    forget();
  }
}

/** Printed rows cannot be taken back, so an answer that breaks off is not asked for again. */
async function exportToStream(options: OrderExportOptions, target: Writable): Promise<ExportCounts> {
  const write: Write = async (chunk) => {
    if (!target.write(chunk)) await once(target, 'drain');
  };
  return exportOrders(options, { maxRetries: 0, begin: async () => write }, () => undefined);
}

async function exportOrders(
  { access, filters, german }: OrderExportOptions,
  target: Target,
  onProgress: OnProgress,
): Promise<ExportCounts> {
  const { pagination } = await new Offizin(access).orders.list({ ...filters, limit: 1 }).firstPage();
  let counts: ExportCounts = { orders: 0, rows: 0, bytes: 0 };
  // The client takes whatever its fetch throws for a broken connection; a full disk does not heal by asking again.
  const stop = new AbortController();
  const locally = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      stop.abort(error);
      throw error;
    });
  const offizin = new Offizin({
    ...access,
    timeoutMs: Infinity,
    retries: { maxRetries: target.maxRetries },
    // The client holds whole answers in memory. The file goes past it, within its attempts.
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      const isFile = response.ok && response.headers.get('content-type')?.startsWith('text/csv');
      if (!isFile || !response.body) return response;
      const file = { orders: 0, rows: 0, bytes: 0 };
      counts = file;
      // Orders may be added while the file is written.
      const onOrders = (): void => onProgress(file.orders, Math.max(pagination.total, file.orders));
      const write = await locally(target.begin());
      await copy(response.body, (chunk) => locally(write(chunk)), { counts: file, german, onOrders });
      return new Response(null, { headers: response.headers });
    },
  });
  const orgId = await offizin.organizationId();
  const dialect = german ? '; dialect=excel-de' : '';
  value(
    await offizin.api.GET('/api/v2/public/orgs/{orgId}/orders', {
      params: { path: { orgId }, query: filters },
      headers: { accept: `text/csv; header=present${dialect}` },
      parseAs: 'text',
      signal: stop.signal,
    }),
  );
  return counts;
}

/** Rejects where the body ends early, or within a quoted text. */
async function copy(
  body: ReadableStream<Uint8Array>,
  write: Write,
  { counts, german, onOrders }: { counts: ExportCounts; german: boolean; onOrders: () => void },
): Promise<void> {
  let order: string | undefined;
  const rows = parse({
    delimiter: german ? ';' : ',',
    bom: true,
    from: 2,
    on_record: ([orderId]: string[]) => {
      counts.rows += 1;
      if (orderId !== order) counts.orders += 1;
      order = orderId;
      return null;
    },
  });
  await pipeline(
    body as AsyncIterable<Uint8Array>,
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        await write(chunk);
        counts.bytes += chunk.length;
        yield chunk;
        onOrders();
      }
    },
    rows,
    new Writable({ objectMode: true, write: (_row, _encoding, done) => done() }),
  );
  onOrders();
}

/** Ends the process on a signal as usual, but without the file. */
function removedOnSignal(file: string): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const onSignal = (signal: NodeJS.Signals): void => {
    rmSync(file, { force: true });
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of signals) process.once(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}
