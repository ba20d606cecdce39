import { Flag, Int, Nested, QueryFlag, QueryText, Text, Timestamp } from '../calls/fields';
import { InventoryRow } from './inventory';
import { consoleOperation, internalOperation } from '../calls/operation';
import {
  type CursorOnlyQuery,
  DEFAULT_PAGE_SIZE,
  MAX_PAGE_SIZE,
  OnlyCursor,
  PageSize,
} from '../calls/paging';
import { MAX_STOCK, Percent } from './products';

/** What the stock screen of the console reads and changes besides the operations of the inventory. */

export class StockFilters {
  @QueryText({ optional: true, description: 'Part of the name, the product id, the PZN or a GTIN' })
  q?: string;
  @QueryFlag({ description: 'Only products whose stock is at or below their threshold, or only the others' })
  low_stock?: boolean;
}

export class StockQuery extends StockFilters implements CursorOnlyQuery {
  @PageSize() limit: number = DEFAULT_PAGE_SIZE;
  @OnlyCursor() cursor?: string;
}

export class StockRow extends InventoryRow {
  @Percent('THC in per cent, null when not known, and in a file') thc!: number | null;
  @Percent('CBD in per cent, as thc') cbd!: number | null;
}

export class StockResponse {
  @Nested(() => StockRow, { list: { maxItems: MAX_PAGE_SIZE }, description: 'By name' })
  data!: StockRow[];
  @Int({ description: 'Exact number of products that q finds' }) total!: number;
  @Int({ description: 'How many of them are low' }) low_total!: number;
  @Text({ nullable: true, maxLength: 2000 }) next_cursor!: string | null;
}

/** Days of the course of a product's stock. */
export const COURSE_DAYS = 90;

export class StockPoint {
  @Timestamp() at!: string;
  @Int({ maximum: MAX_STOCK, description: 'From then on' }) stock_quantity!: number;
}

export class StockItem extends InventoryRow {
  @Nested(() => StockPoint, {
    list: { maxItems: COURSE_DAYS + 2 },
    description:
      'The stock at the end of each German day with a change, of the last 90 days; first, the stock before',
  })
  course!: StockPoint[];
}

export class StockThresholdBody {
  @Int({ maximum: MAX_STOCK, description: 'Stock at or below this number counts as low' })
  low_stock_threshold!: number;
}

/** Sales of so many days say how long the stock lasts, and a stock that lasts longer does not run out soon. */
export const SALES_DAYS = 28;
export const MAX_RUNNING_OUT = 10;

export class RunningOutRow {
  @Text() p1_id!: string;
  @Text() name!: string;
  @Int({ maximum: MAX_STOCK, description: 'Stock without what is reserved' }) available_quantity!: number;
  @Int({ description: `Pieces sold in the last ${SALES_DAYS} days` }) sold!: number;
  @Int({
    maximum: SALES_DAYS,
    description: `Whole days that the available stock lasts, if as much is sold each day. A product that is younger than ${SALES_DAYS} days is measured by its own days`,
  })
  days_left!: number;
}

export class RunningOutResponse {
  @Nested(() => RunningOutRow, {
    list: { maxItems: MAX_RUNNING_OUT },
    description: 'The first to run out first',
  })
  data!: RunningOutRow[];
  @Int({ description: `Products that run out within ${SALES_DAYS} days` }) total!: number;
}

const ORGANIZATION = '/api/v2/public/orgs/{orgId}';
const reading = { service: 'catalog', access: 'inventory.read', method: 'GET' } as const;

export const listStock = consoleOperation({
  ...reading,
  name: 'stock.list',
  summary: 'List the stock by name, with exact totals',
  path: `${ORGANIZATION}/stock`,
  query: StockQuery,
  narrow: 'Give q more characters.',
  reply: StockResponse,
  alsoCsv: true,
});

export const getStock = consoleOperation({
  ...reading,
  name: 'stock.get',
  summary: 'Read the stock of a product, and its course over 90 days',
  path: `${ORGANIZATION}/stock/{p1Id}`,
  reply: StockItem,
});

/** API keys set it with the other values of the product (products.update). */
export const setStockThreshold = consoleOperation({
  name: 'stock.set-threshold',
  summary: 'Set the stock at which a product counts as low',
  service: 'catalog',
  access: 'inventory.write',
  method: 'PUT',
  path: `${ORGANIZATION}/inventory/{p1Id}`,
  body: StockThresholdBody,
  reply: InventoryRow,
});

export const listRunningOut = consoleOperation({
  ...reading,
  name: 'stock.running-out',
  summary: 'Products whose stock runs out soon, by what was sold of late',
  path: `${ORGANIZATION}/stock-running-out`,
  reply: RunningOutResponse,
});

export class StockPageBody {
  @Text({ minLength: 1 }) org_id!: string;
  @Text({ optional: true, description: 'Part of the name, the product id, the PZN or a GTIN' }) q?: string;
  @Flag({ optional: true }) low_stock?: boolean;
  @Text({ optional: true, maxLength: 2000 }) cursor?: string;
}

/** For exportStock. */
export const stockPage = internalOperation({
  name: 'stock.page',
  summary: 'A page of the stock, for a file',
  service: 'catalog',
  body: StockPageBody,
  narrow: 'Give q more characters.',
  reply: StockResponse,
});
