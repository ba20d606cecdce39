import { createHash } from 'node:crypto';
import { Int, Offset, OneOf, QueryInteger, QueryText, Text, Timestamp } from './fields';
import { Described } from './schema';

export const MAX_PAGE_SIZE = 200;
export const DEFAULT_PAGE_SIZE = 50;
/** Limit of cursors in cursor-only lists: a history's cursor contains every field. */
const MAX_CURSOR_LENGTH = 2000;

export function PageSize(): PropertyDecorator {
  return QueryInteger({ minimum: 1, maximum: MAX_PAGE_SIZE, description: 'Page size' });
}

export function PageOffset(): PropertyDecorator {
  return Offset({
    optional: true,
    default: 0,
    description: 'Rows to skip; beyond the last one the page is empty',
  });
}

export function PageCursor(): PropertyDecorator {
  const description = "The page before's next_cursor; stable under inserts";
  return QueryText({ optional: true, maxLength: 1000, description });
}

/** Cursor of a cursor-only list. */
export function OnlyCursor(): PropertyDecorator {
  const description = "The page before's next_cursor";
  return QueryText({ optional: true, maxLength: MAX_CURSOR_LENGTH, description });
}

function NextOnlyCursor(): PropertyDecorator {
  const description = 'Where the next page begins; null at the end';
  return Text({ nullable: true, maxLength: MAX_CURSOR_LENGTH, description });
}

/** Query of an offset list. Out of range is a 400, never a silent clamp; `offset` together with `cursor` is a 400. */
export class CursorQuery {
  @PageSize() limit: number = DEFAULT_PAGE_SIZE;
  @PageOffset() offset?: number;
  @PageCursor() cursor?: string;
}

export const LIST_SORTS = ['created_at', '-created_at', 'updated_at', '-updated_at'] as const;
export type ListSort = (typeof LIST_SORTS)[number];

export function ListOrder(): PropertyDecorator {
  return OneOf(LIST_SORTS, { optional: true, description: 'Order of the list; - is newest first' });
}

/** `updated_at` is the time at which a change began: a later commit may carry an earlier time. */
export function UpdatedSince(): PropertyDecorator {
  const description =
    'Changed at this time or later. A change may be seen up to a minute after its time: with sort=updated_at, ask from a minute before the last one that you have';
  return Timestamp({ optional: true, description });
}

export function CreatedFrom(): PropertyDecorator {
  return Timestamp({ optional: true, description: 'Created at this time or later' });
}

export function CreatedTo(): PropertyDecorator {
  return Timestamp({ optional: true, notBefore: 'created_from', description: 'Created before this time' });
}

/** Query of an offset list that can be asked for changes since a time. */
export class DeltaQuery extends CursorQuery {
  @CreatedFrom() created_from?: string;
  @CreatedTo() created_to?: string;
  @UpdatedSince() updated_since?: string;
  @ListOrder() sort: ListSort = '-created_at';
}

/** Query of a cursor-only list. A page may hold fewer rows than `limit`, because its bytes are limited, too. */
export class CursorOnlyQuery {
  @PageSize() limit: number = DEFAULT_PAGE_SIZE;
  @OnlyCursor() cursor?: string;
}

/** Query of a short list, which is answered whole without a limit. */
export class WholeOrPageQuery {
  @QueryInteger({ minimum: 1, maximum: MAX_PAGE_SIZE, description: 'Page size; left out: the whole list' })
  limit?: number;

  @QueryText({ optional: true, maxLength: MAX_CURSOR_LENGTH, description: "The page before's next_cursor" })
  cursor?: string;
}

/** Query of a page list. `page` together with `cursor` is a 400. */
export class PageQuery {
  @PageSize() limit: number = DEFAULT_PAGE_SIZE;
  @QueryInteger({ minimum: 1, maximum: 10_000_000, default: 1, description: 'Page, from 1' }) page?: number;
  @OnlyCursor() cursor?: string;
}

/** Query of a page list that can be asked for changes since a time. */
export class PageDeltaQuery extends PageQuery {
  @CreatedFrom() created_from?: string;
  @CreatedTo() created_to?: string;
  @UpdatedSince() updated_since?: string;
  @OneOf(LIST_SORTS, {
    optional: true,
    description: 'Order of the list; - is newest first. Left out: by product id',
  })
  sort?: ListSort;
}

/** Pagination of a list that is paged by offset only. */
@Described('Paging by offset')
export class OffsetOnlyPagination {
  @Int() limit!: number;
  @Offset() offset!: number;
  @Int({ description: 'Exact number of rows that match' }) total!: number;
}

/** Pagination of an offset list that also takes a cursor. */
@Described('Paging by offset, or by cursor')
export class OffsetPagination extends OffsetOnlyPagination {
  @Text({ nullable: true, maxLength: 1000, description: 'Where the next page begins; null at the end' })
  next_cursor!: string | null;
}

@Described('Paging by page, or by cursor')
export class PagePagination {
  @Int({ description: 'Number of this page, from 1; 1 with a cursor' }) page!: number;
  @Int({ description: 'Page size: the limit that was asked for, or the default' }) pageSize!: number;
  @Int({ description: 'Exact number of rows that match' }) total!: number;
  @Int({ description: 'Number of pages' }) totalPages!: number;
  @NextOnlyCursor() next_cursor!: string | null;
}

/** The offset for a statement, capped because a greater number does not fit a bigint. */
export function rowsToSkip(offset = 0): number {
  return Math.min(offset, Number.MAX_SAFE_INTEGER);
}

/** Short digest of the filters of a list. Its cursors hold it, so that they are refused under other filters. */
export function digestOfFilters(filters: readonly (readonly [name: string, value: unknown])[]): string {
  return createHash('sha256').update(JSON.stringify(filters)).digest('base64url').slice(0, 8);
}

/** Pagination of a list that is paged by cursor only. */
@Described('Paging by cursor')
export class CursorOnlyPagination {
  @Int() limit!: number;
  @NextOnlyCursor() next_cursor!: string | null;
}
