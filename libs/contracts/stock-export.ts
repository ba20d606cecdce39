import { Flag, Text, UseInstead } from './fields';
import { consoleOperation, internalOperation } from './operation';
import { listStock, StockFilters, StockResponse } from './stock';

const FILTERS = 'q or low_stock: a CSV file has no pages';

export class StockExportQuery extends StockFilters {
  @UseInstead(FILTERS) limit?: never;
  @UseInstead(FILTERS) cursor?: never;
}

/** Answers the address of the list, for callers that accept CSV. order-core streams, and asks the catalog for the pages. */
export const exportStock = consoleOperation({
  name: 'stock.export',
  summary: 'The stock of a list as CSV, by name',
  service: 'order-core',
  via: 'http',
  access: 'inventory.read',
  method: 'GET',
  path: listStock.path,
  query: StockExportQuery,
  narrow: 'Give q more characters.',
  reply: 'text/csv',
});

export class StockPageBody {
  @Text({ minLength: 1 }) org_id!: string;
  @Text({ optional: true, description: 'Part of the name or of the product id' }) q?: string;
  @Flag({ optional: true }) low_stock?: boolean;
  @Text({ optional: true, maxLength: 2000 }) cursor?: string;
}

export const stockPage = internalOperation({
  name: 'stock.page',
  summary: 'A page of the stock, for a file',
  service: 'catalog',
  body: StockPageBody,
  narrow: 'Give q more characters.',
  reply: StockResponse,
});
