import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/caller';
import { notFound } from '@offizin/contracts/errors';
import { type Answer, type Call, okPieces } from '@offizin/contracts/operation';
import { exportOrders, type OrderExportQuery } from '@offizin/contracts/order-export';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { FairShares } from '@offizin/runtime/fair-shares';
import { ReadAudit } from '../audit/read-audit';
import type { CsvDialect } from '../csv/csv';
import { csvDialect, csvHeaders } from '../csv/reply-format';
import { shopExists } from '../directory/directory.store';
import { begun, exportHead, exportRows, filtersInWords } from './order-export';
import { type ExportPage, readExportPage } from './order-export.store';

/** Files that are written at the same time; each holds one page in memory, however slowly it is read. */
const EXPORTS = { name: 'order exports', slots: 64, perParty: 2, waitMs: 2_000, maxWaiting: 64 };
/** Statements of pages after the first at the same time: they wait rather than cut a file. */
const PAGES = { name: 'order export pages', slots: 2, perParty: 1, waitMs: 20_000, maxWaiting: 64 };

/**
 * Orders as CSV. The walk follows the key of the list page by page, and reads the next page when the reader has taken
 * the last one. A failure on the way ends the transfer without its end, so that no file looks whole.
 */
@Controller()
export class OrderExportHandlers {
  private readonly exports = new FairShares(EXPORTS);
  private readonly pages = new FairShares(PAGES);

  private readonly readAudit: ReadAudit;

  constructor(private readonly database: Database) {
    this.readAudit = new ReadAudit(database);
  }

  @Handles(exportOrders)
  async export({ caller, query, headers }: Call<typeof exportOrders>): Promise<Answer<never>> {
    const { shop_id: shopId } = query;
    const isKnown = shopId === undefined || (isId(shopId) && (await this.isShop(caller, shopId)));
    if (!isKnown) throw notFound('shop');
    const dialect = csvDialect(headers.accept);
    const [today] = new Date().toISOString().split('T');
    return okPieces(
      await begun(this.pieces(caller, query, dialect)),
      csvHeaders(dialect, `orders_${today}.csv`),
    );
  }

  private async *pieces(
    caller: Caller,
    query: OrderExportQuery,
    dialect: CsvDialect,
  ): AsyncGenerator<string, undefined> {
    const { orgId } = caller;
    const release = await this.exports.acquire(orgId);
    try {
      // In the database time that the call has.
      let page: ExportPage = await readExportPage(this.database, orgId, query, null);
      const object = `order-export:${page.total} ${filtersInWords(query)}`;
      await this.readAudit.append(caller, 'order.export', object);
      yield exportHead(dialect) + exportRows(page.orders, dialect);
      while (page.next !== null) {
        const { next } = page;
        page = await this.pages.run(orgId, () => readExportPage(this.database, orgId, query, next));
        yield exportRows(page.orders, dialect);
      }
    } finally {
      release();
    }
  }

  private async isShop({ orgId }: Caller, shopId: string): Promise<boolean> {
    return shopExists(this.database, orgId, shopId);
  }
}
