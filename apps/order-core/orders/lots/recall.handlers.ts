import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { lotOf } from '@offizin/codes/lot';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import { MAX_PAGE_SIZE } from '@offizin/contracts/calls/paging';
import { testMark } from '@offizin/contracts/calls/test-mark';
import { exportLotOrders } from '@offizin/contracts/exports';
import {
  listLotOrders,
  type LotOrder,
  type LotOrderListQuery,
  type LotOrderListResponse,
  type LotTold,
  markTold,
} from '@offizin/contracts/orders/recall';
import { decodeCursor, filteredName, nextCursor, rowsThatFit } from '@offizin/operations/cursor-pages';
import { Database, type Sql } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { withIsoTimes } from '@offizin/pg/queries';
import { appendAudit } from '../../audit/audit.store';
import { liveTransaction, whileLive } from '../../callers/live-caller.store';
import { testRowsFor } from '../../callers/test-rows';
import type { CsvColumn } from '../../csv/csv';
import { CsvFiles } from '../../csv/csv-files';
import { ORDER_WORDS } from '../../csv/german';
import { lockOrder } from '../orders/orders.store';
import { isLotKnown, ordersOfLot, type RecallRow, writeTold } from './recall.store';

/** Part of the contract: append, never rename or reorder. */
const COLUMNS: CsvColumn<LotOrder>[] = [
  ['order_id', ({ order_id }) => order_id],
  ['order_number', ({ order_number }) => order_number],
  ['external_id', ({ external_id }) => external_id],
  ['shop_id', ({ shop_id }) => shop_id],
  ['status', ({ status }) => status, ORDER_WORDS],
  ['customer_name', ({ customer_name }) => customer_name],
  ['customer_email', ({ customer_email }) => customer_email],
  ['address_phone', ({ phone }) => phone],
  ['p1_id', ({ p1_id }) => p1_id],
  ['product_name', ({ name }) => name],
  ['quantity', ({ quantity }) => quantity],
  ['created_at', ({ created_at }) => created_at],
  ['told_at', ({ told_at }) => told_at],
];

/** Who got packs of a lot, as a list and as CSV, and who was informed. An erasure empties the person in it and keeps the lot. */
@Controller()
export class RecallHandlers {
  constructor(
    private readonly database: Database,
    private readonly files: CsvFiles,
  ) {}

  @Handles(listLotOrders)
  async list({ caller, params, query }: Call<typeof listLotOrders>): Promise<Answer<LotOrderListResponse>> {
    const { orgId } = caller;
    const lot = await this.known(orgId, params.lot);
    const test = testRowsFor(caller, undefined);
    return ok(await pageOf(this.database.reads, { orgId, lot, test }, query));
  }

  @Handles(exportLotOrders)
  async export(call: Call<typeof exportLotOrders>): Promise<Answer<never>> {
    const { orgId } = call.caller;
    const lot = await this.known(orgId, call.params.lot);
    // The file has no column for test shops.
    const wanted = { orgId, lot, test: testRowsFor({ kind: 'staff' }, undefined) };
    const read = whileLive(this.database, call.caller, async (after) => {
      const query = { ...call.query, limit: MAX_PAGE_SIZE, cursor: after ?? undefined };
      const { data, pagination } = await pageOf(this.database.reads, wanted, query);
      return { data, next: pagination.next_cursor };
    });
    return this.files.answer(call, {
      name: 'lot',
      action: 'lot.export',
      read,
      objectOf: () => `lot-export:${lot}`,
      columns: COLUMNS,
      rowsOf: ({ data }) => data,
    });
  }

  @Handles(markTold)
  async told({ caller, params: { orderId }, body }: Call<typeof markTold>): Promise<Answer<LotTold>> {
    if (!isId(orderId)) throw notFound('order');
    const { orgId } = caller;
    const { lot, p1_id: p1Id = null, told } = body;
    return liveTransaction(this.database, caller, async (tx) => {
      // A change of the lots writes all rows again.
      if (!(await lockOrder(tx, orgId, orderId))) throw notFound('order');
      const row = await writeTold(tx, { orgId, orderId, lot, p1Id, told });
      if (!row) throw notFound('lot in this order');
      await appendAudit(tx, caller, told ? 'lot.told' : 'lot.not-told', `order:${row.order_id}`);
      return ok({ ...withIsoTimes(row), p1_id: p1Id });
    });
  }

  private async known(orgId: string, given: string): Promise<string> {
    const lot = lotOf(given);
    if (lot === null || !(await isLotKnown(this.database.reads, orgId, lot))) throw notFound('lot');
    return lot;
  }
}

async function pageOf(
  sql: Sql,
  { orgId, lot, test }: { orgId: string; lot: string; test: false | undefined },
  {
    limit,
    cursor,
    p1_id: p1Id,
  }: Pick<LotOrderListQuery, 'limit' | 'p1_id'> & { cursor?: string | undefined },
): Promise<LotOrderListResponse> {
  const list = { name: filteredName('lot-orders', { lot, p1Id }), keyOf: (row: LotOrder) => row.order_id };
  const after = cursor === undefined ? null : decodeCursor(list.name, cursor, isId);
  const wanted = { orgId, lot, isTest: test ?? null, p1Id: p1Id ?? null };
  const rows = (await ordersOfLot(sql, { ...wanted, after, limit: limit + 1 })).map(shown);
  const data = rowsThatFit(rows, limit);
  return { data, pagination: { limit, next_cursor: nextCursor(list, data, data.length < rows.length) } };
}

function shown({ is_test, ...row }: RecallRow): LotOrder {
  return { ...withIsoTimes(row), ...testMark(is_test) };
}
