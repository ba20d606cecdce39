import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, okPieces } from '@offizin/contracts/calls/operation';
import { exportOrders } from '@offizin/contracts/exports';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { ReadAudit } from '../../audit/read-audit';
import { CsvFiles } from '../../csv/csv-files';
import { csvDialect, csvHeaders, csvName } from '../../csv/csv';
import { shopExists } from '../../people/directory/directory.store';
import { whileLive } from '../../callers/live-caller.store';
import { testRowsFor } from '../../callers/test-rows';
import { exportHead, exportRows, filtersInWords } from './order-export';
import { readExportPage } from './order-export.store';

/** Orders as CSV. */
@Controller()
export class OrderExportHandlers {
  private readonly readAudit: ReadAudit;

  constructor(
    private readonly database: Database,
    private readonly files: CsvFiles,
  ) {
    this.readAudit = new ReadAudit(database);
  }

  @Handles(exportOrders)
  async export({ caller, query, headers }: Call<typeof exportOrders>): Promise<Answer<never>> {
    const { shop_id: shopId } = query;
    const isKnown = shopId === undefined || (isId(shopId) && (await this.isShop(caller, shopId)));
    if (!isKnown) throw notFound('shop');
    const dialect = csvDialect(headers.accept, caller.kind);
    const { orgId } = caller;
    // The file has no column for test shops.
    const test = testRowsFor({ kind: 'staff' }, shopId);
    const read = whileLive(this.database, caller, (cursor) =>
      readExportPage(this.database.reads, orgId, { ...query, test }, cursor),
    );
    const pieces = await this.files.write(orgId, {
      read,
      begin: async ({ total }) => {
        await this.readAudit.append(caller, 'order.export', `order-export:${total} ${filtersInWords(query)}`);
        return exportHead(dialect);
      },
      rows: ({ orders }) => exportRows(orders, dialect),
    });
    return okPieces(pieces, csvHeaders(dialect, csvName('orders', Date.now())));
  }

  private async isShop({ orgId }: Caller, shopId: string): Promise<boolean> {
    return shopExists(this.database, orgId, shopId);
  }
}
