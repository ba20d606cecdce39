import { Controller } from '@nestjs/common';
import { Bus } from '@offizin/bus/bus';
import { Database } from '@offizin/pg/database';
import { Handles } from '@offizin/bus/handles';
import { type Caller, serviceCaller } from '@offizin/contracts/calls/caller';
import type { InventoryRow } from '@offizin/contracts/products/inventory';
import type { Answer, Call } from '@offizin/contracts/calls/operation';
import { stockPage, type StockResponse } from '@offizin/contracts/products/stock';
import { exportStock, type StockExportQuery } from '@offizin/contracts/exports';
import { cents, type CsvColumn, filtersInWords } from '../../csv/csv';
import { YES_OR_NO } from '../../csv/german';
import { CsvFiles } from '../../csv/csv-files';
import { whileLive } from '../../callers/live-caller.store';

/** Part of the contract: append, never rename or reorder. */
const COLUMNS: CsvColumn<InventoryRow>[] = [
  ['p1_id', ({ p1_id }) => p1_id],
  ['name', ({ name }) => name],
  ['category', ({ category }) => category],
  ['price', ({ price }) => cents(price)],
  ['stock_quantity', ({ stock_quantity }) => stock_quantity],
  ['reserved_quantity', ({ reserved_quantity }) => reserved_quantity],
  ['available_quantity', ({ available_quantity }) => available_quantity],
  ['low_stock_threshold', ({ low_stock_threshold }) => low_stock_threshold],
  ['available', ({ available }) => String(available), YES_OR_NO],
  ['updated_at', ({ updated_at }) => updated_at],
  ['pzn', ({ pzn }) => pzn],
  ['codes', ({ codes }) => codes.join(' ')],
];

interface StockPage extends Omit<StockResponse, 'next_cursor'> {
  next: string | null;
}

/** The stock as CSV. The catalog owns it, but only order-core streams and keeps the audit log. */
@Controller()
export class StockExportHandlers {
  constructor(
    private readonly database: Database,
    private readonly bus: Bus,
    private readonly files: CsvFiles,
  ) {}

  @Handles(exportStock)
  async export(call: Call<typeof exportStock>): Promise<Answer<never>> {
    const { q, low_stock } = call.query;
    const read = whileLive(this.database, call.caller, (cursor) =>
      this.page(call.caller, call.query, cursor),
    );
    return this.files.answer(call, {
      name: 'stock',
      action: 'inventory.export',
      read,
      objectOf: ({ total, low_total: low }) => {
        const rows = low_stock === undefined ? total : low_stock ? low : total - low;
        return `stock-export:${rows} ${filtersInWords({ low_stock }, { q })}`;
      },
      columns: COLUMNS,
      rowsOf: ({ data }) => data,
    });
  }

  private async page(
    { orgId: org_id, requestId }: Caller,
    { q, low_stock }: StockExportQuery,
    cursor: string | null,
  ): Promise<StockPage> {
    // JSON leaves out what is undefined.
    const body = { org_id, q, low_stock, cursor: cursor ?? undefined };
    const asker = serviceCaller('order-core', requestId);
    const { next_cursor: next, ...page } = await this.bus.call(stockPage, asker, body);
    return { ...page, next };
  }
}
