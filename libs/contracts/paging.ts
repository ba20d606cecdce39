import { Int, Nested, QueryInteger, QueryText, Text } from './fields';

export const MAX_PAGE_SIZE = 200;
export const DEFAULT_PAGE_SIZE = 50;

/** Query of an offset list; out of range is a 400, never a silent clamp. */
export class OffsetQuery {
  @QueryInteger({ minimum: 1, maximum: MAX_PAGE_SIZE, description: 'Page size' })
  limit: number = DEFAULT_PAGE_SIZE;

  @QueryInteger({ minimum: 0, maximum: 2_000_000_000, description: 'Rows to skip' })
  offset: number = 0;
}

/** Query of a page list. */
export class PageQuery {
  @QueryInteger({ minimum: 1, maximum: MAX_PAGE_SIZE, description: 'Page size' })
  limit: number = DEFAULT_PAGE_SIZE;

  @QueryInteger({ minimum: 1, maximum: 10_000_000, description: 'Page, from 1' })
  page: number = 1;
}

export class ShopFilterQuery {
  @QueryText({ optional: true, description: 'A shop of the organization' })
  shop_id?: string;
}

export class OffsetPagination {
  @Int() limit!: number;
  @Int() offset!: number;
  @Int({ description: 'Exact number of rows that match' }) total!: number;
}

export class PagePagination {
  @Int() page!: number;
  @Int() pageSize!: number;
  @Int({ description: 'Exact number of rows that match' }) total!: number;
  @Int() totalPages!: number;
}

/** Error body, as interface.md shows it; `details` on a 400 only. */
export class ErrorDetail {
  @Text({ example: 'items[0].qty' }) field!: string;
  @Text() message!: string;
}

export class ErrorReply {
  @Text({ example: 'invalid_request' }) error!: string;
  @Text({ optional: true }) message?: string;
  @Nested(() => ErrorDetail, { list: { maxItems: 1000 }, optional: true }) details?: ErrorDetail[];
}
