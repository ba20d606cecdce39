import { digestOfFilters } from '@offizin/contracts/calls/paging';
import type { OrderListQuery } from '@offizin/contracts/orders/orders';
import type { Sql } from '@offizin/pg/database';
import { encodeCursor } from '@offizin/pg/list-page';
import { ReadCoalescer } from '@offizin/pg/read-coalescer';
import { listOrdersJson } from '../../apps/order-core/orders/orders/order-list.store';
import { findOrder } from '../../apps/order-core/orders/orders/orders.store';

/** Folder of the statements of orders that are built for a call; the others are text in the code. */
export const RENDERED = 'apps/order-core/orders/orders/sql/rendered';

const ID = '00000000-0000-7000-8000-000000000000';
const sortKey = `o.created_at:desc.${digestOfFilters([['org', ID]])}`;
const cursor = encodeCursor(sortKey, '2026-01-01 00:00:00+00', ID);
const noon = { created_from: '2026-01-01T12:00:00Z', created_to: '2026-02-01T12:00:00Z' };

function list(sql: Sql, query: Partial<OrderListQuery>): Promise<unknown> {
  return listOrdersJson({ alone: sql, shared: sql }, ID, { limit: 50, sort: '-created_at', ...query });
}

async function twoTogether(sql: Sql, read: (sql: Sql) => Promise<unknown>): Promise<void> {
  const shared = new ReadCoalescer(sql);
  await Promise.all([read(shared), read(shared)]);
}

/**
 * By file: a call of a store that sends one statement. Filters of a list combine freely; each form of its page is here.
 */
const calls: Record<string, (sql: Sql) => Promise<unknown>> = {
  'find-coalesced': (sql) => twoTogether(sql, (shared) => findOrder(shared, ID, ID)),
  'list-first-page': (sql) => list(sql, {}),
  'list-first-page-ascending': (sql) => list(sql, { sort: 'created_at' }),
  'list-first-page-coalesced': (sql) => twoTogether(sql, (shared) => list(shared, {})),
  'list-first-page-filtered': (sql) => list(sql, { status: 'pending', shop_id: ID, ...noon }),
  'list-after-cursor': (sql) => list(sql, { cursor }),
  'list-at-offset': (sql) => list(sql, { offset: 50 }),
  'list-at-large-offset': (sql) => list(sql, { offset: 50_000 }),
  'list-updated-since': (sql) => list(sql, { sort: 'updated_at', updated_since: '2026-01-01T00:00:00Z' }),
  'list-payment-status': (sql) => list(sql, { payment_status: 'paid' }),
  'list-external-id': (sql) => list(sql, { external_id: 'external' }),
  'list-search': (sql) => list(sql, { q: 'Name' }),
};

/** The text of each file, by its name: what the stores prepare. */
export async function renderedSql(): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const [name, call] of Object.entries(calls)) files[`${name}.sql`] = fileOf(name, await sentBy(call));
  return files;
}

/** The text of the one statement that the call sends. */
async function sentBy(call: (sql: Sql) => Promise<unknown>): Promise<string> {
  const sent: string[] = [];
  const sql: Sql = {
    rows: ({ text }, ..._params) => {
      sent.push(text);
      return Promise.reject(new NotRun());
    },
  };
  await call(sql).catch((error: unknown) => {
    if (!(error instanceof NotRun)) throw error;
  });
  const [text, ...further] = sent;
  if (text === undefined || further.length > 0) throw new Error(`a call sent ${sent.length} statements`);
  return text;
}

/** The statement was recorded only. */
class NotRun extends Error {}

/** For psql: `EXPLAIN EXECUTE <name>(…)` follows. */
function fileOf(name: string, text: string): string {
  const head = `-- Written by \`node tools/bootstrap.mjs docs\`. Change the code, not this file.\n`;
  const prepare = `PREPARE ${name.replaceAll('-', '_')} AS\n`;
  return `${head}${prepare}${text.replace(/[ \t]+$/gm, '').replace(/\n{2,}/g, '\n')};\n`;
}
