import { Controller } from '@nestjs/common';
import { Bus } from '@offizin/bus/bus';
import { Handles } from '@offizin/bus/handles';
import { type Caller, serviceCaller } from '@offizin/contracts/calls/caller';
import type { InventoryRow } from '@offizin/contracts/products/inventory';
import { type Answer, type Call, okPieces } from '@offizin/contracts/calls/operation';
import { stockPage, type StockResponse } from '@offizin/contracts/products/stock';
import { exportStock, type StockExportQuery } from '@offizin/contracts/exports';
import { Database } from '@offizin/pg/database';
import { ReadAudit } from '../../audit/read-audit';
import { cents, type CsvColumn, csvDialect, csvHead, csvHeaders, csvName, csvRows } from '../../csv/csv';
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
];

interface StockPage extends Omit<StockResponse, 'next_cursor'> {
  next: string | null;
}

/** The stock as CSV. The catalog owns it, but only order-core streams and keeps the audit log. */
@Controller()
export class StockExportHandlers {
  private readonly readAudit: ReadAudit;

  constructor(
    private readonly database: Database,
    private readonly bus: Bus,
    private readonly files: CsvFiles,
  ) {
    this.readAudit = new ReadAudit(database);
  }

  @Handles(exportStock)
  async export({ caller, query, headers }: Call<typeof exportStock>): Promise<Answer<never>> {
    const dialect = csvDialect(headers.accept, caller.kind);
    const read = whileLive(this.database, caller, (cursor) => this.page(caller, query, cursor));
    const pieces = await this.files.write(caller.orgId, {
      read,
      begin: async ({ total, low_total: low }) => {
        const rows = query.low_stock === undefined ? total : query.low_stock ? low : total - low;
        await this.readAudit.append(caller, 'inventory.export', `stock-export:${rows} ${inWords(query)}`);
        return csvHead(COLUMNS, dialect);
      },
      rows: ({ data }) => csvRows(COLUMNS, data, dialect),
    });
    return okPieces(pieces, csvHeaders(dialect, csvName('stock', Date.now())));
  }

  private async page(
    { orgId, requestId }: Caller,
    { q, low_stock }: StockExportQuery,
    cursor: string | null,
  ): Promise<StockPage> {
    const body = {
      org_id: orgId,
      ...(q !== undefined && { q }),
      ...(low_stock !== undefined && { low_stock }),
      ...(cursor !== null && { cursor }),
    };
    const { next_cursor: next, ...page } = await this.bus.call(
      stockPage,
      serviceCaller('order-core', requestId),
      body,
    );
    return { ...page, next };
  }
}

/** For the audit log: which filters, and not what was typed. */
function inWords({ q, low_stock: low }: StockExportQuery): string {
  return (
    [...(low === undefined ? [] : [`low_stock=${low}`]), ...(q === undefined ? [] : ['q'])].join(' ') || 'all'
  );
}
