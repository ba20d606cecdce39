import { invalid } from '@offizin/contracts/calls/errors';
import type { OrderHistoryEntry, OrderHistoryResponse } from '@offizin/contracts/orders/order-history';
import type { CursorOnlyQuery } from '@offizin/contracts/calls/paging';
import { type Sql, statement } from '@offizin/pg/database';
import { decodeCursor, encodeCursor, filteredName, MAX_PAGE_BYTES } from '@offizin/operations/cursor-pages';
import type { OrderHistoryEntity } from '../../db/entities';

type HistoryRow = Omit<OrderHistoryEntity, 'order_id'>;

/** Rows per statement: one row may hold half a megabyte of lines. */
const CHUNK_ROWS = 25;

const chunk = statement<HistoryRow, [string, number, number]>(
  'order_history',
  `SELECT sequence, at, actor, action, fields FROM core.order_history
   WHERE order_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`,
);
const valuesSetBy = statement<{ field: string; value: unknown }, [string, string[], number[]]>(
  'order_history_values',
  `SELECT w.field, h.fields -> w.field AS value FROM unnest($2::text[], $3::int[]) AS w (field, sequence)
   JOIN core.order_history h ON h.order_id = $1 AND h.sequence = w.sequence`,
);

/** Start of a page: the entry before it, and for each field the entry that last set it. */
interface Place {
  after: number;
  setBy: Record<string, number>;
}

/**
 * A page of the history, oldest first. A stored entry holds the new values; old values come from earlier entries. The
 * cursor names those entries, so every page costs the same. Throws `Refused` for a cursor of another list.
 */
export async function orderHistory(
  sql: Sql,
  orderId: string,
  { limit, cursor }: CursorOnlyQuery,
): Promise<OrderHistoryResponse> {
  const list = filteredName('history', { orderId });
  const place = cursor === undefined ? { after: 0, setBy: {} } : placeOf(list, cursor);
  const present = await valuesAt(sql, orderId, place);
  const data: OrderHistoryEntry[] = [];
  let bytes = 0;
  for await (const row of rowsAfter(sql, orderId, place.after, Math.min(limit + 1, CHUNK_ROWS))) {
    const entry = entryOf(row, present);
    bytes += Buffer.byteLength(JSON.stringify(entry));
    if (data.length === limit || (data.length > 0 && bytes > MAX_PAGE_BYTES)) {
      return { data, pagination: { limit, next_cursor: encodeCursor(list, JSON.stringify(place)) } };
    }
    data.push(entry);
    place.after = row.sequence;
    for (const [field, value] of Object.entries(row.fields)) {
      present.set(field, value);
      place.setBy[field] = row.sequence;
    }
  }
  return { data, pagination: { limit, next_cursor: null } };
}

async function* rowsAfter(
  sql: Sql,
  orderId: string,
  after: number,
  chunkRows: number,
): AsyncGenerator<HistoryRow> {
  for (let rows: HistoryRow[], last = after; ; last = rows.at(-1)?.sequence ?? last) {
    rows = await sql.rows(chunk, orderId, last, chunkRows);
    yield* rows;
    if (rows.length < chunkRows) return;
  }
}

function entryOf(
  { sequence, at, actor, action, fields }: HistoryRow,
  before: ReadonlyMap<string, unknown>,
): OrderHistoryEntry {
  const changes = Object.entries(fields)
    .filter(([field]) => field !== 'total_is_given')
    .map(([field, value]) => ({ field, old: textOf(before.get(field)), new: textOf(value) }))
    .filter((change) => change.old !== change.new);
  return { sequence, at: at.toISOString(), actor, action, changes };
}

async function valuesAt(sql: Sql, orderId: string, { setBy }: Place): Promise<Map<string, unknown>> {
  const fields = Object.keys(setBy);
  if (fields.length === 0) return new Map();
  const rows = await sql.rows(valuesSetBy, orderId, fields, Object.values(setBy));
  return new Map(rows.map(({ field, value }) => [field, value]));
}

const MAX_SEQUENCE = 2_147_483_647;

function placeOf(list: string, cursor: string): Place {
  try {
    const place = JSON.parse(decodeCursor(list, cursor)) as Partial<Place> | null;
    const { after, setBy = {} } = place ?? {};
    if (isSequence(after) && Object.values(setBy).every(isSequence)) return { after, setBy };
  } catch {
    // Refused below, like every cursor of another list.
  }
  throw invalid([{ field: 'cursor', message: 'does not belong to this list' }]);
}

function isSequence(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_SEQUENCE;
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
