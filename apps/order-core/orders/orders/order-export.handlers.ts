import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Answer, Call } from '@offizin/contracts/calls/operation';
import { exportOrders } from '@offizin/contracts/exports';
import { Database } from '@offizin/pg/database';
import { CsvFiles } from '../../csv/csv-files';
import { whileLive } from '../../callers/live-caller.store';
import { requireShop } from '../../people/directory/organizations.store';
import { testRowsFor } from '../../callers/test-rows';
import { COLUMNS, exportRows, filtersOf } from './order-export';
import { readExportPage } from './order-export.store';

/** Orders as CSV. */
@Controller()
export class OrderExportHandlers {
  constructor(
    private readonly database: Database,
    private readonly files: CsvFiles,
  ) {}

  @Handles(exportOrders)
  async export(call: Call<typeof exportOrders>): Promise<Answer<never>> {
    const { caller, query } = call;
    const { orgId } = caller;
    await requireShop(this.database, orgId, query.shop_id);
    // The file has no column for test shops.
    const test = testRowsFor({ kind: 'staff' }, query.shop_id);
    const read = whileLive(this.database, caller, (cursor) =>
      readExportPage(this.database.reads, orgId, { ...query, test }, { cursor }),
    );
    return this.files.answer(call, {
      name: 'orders',
      action: 'order.export',
      read,
      objectOf: ({ total }) => `order-export:${total} ${filtersOf(query)}`,
      columns: COLUMNS,
      rowsOf: ({ orders }) => exportRows(orders),
    });
  }
}
