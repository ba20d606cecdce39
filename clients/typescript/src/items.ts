/** A list of the API: `for await` walks its items over all pages. Nothing is read before it is walked. */
export interface Items<Item, Page> extends AsyncIterable<Item> {
  /** Page by page, for the totals and cursors that a page holds beside its rows. */
  pages(): AsyncIterable<Page>;
  /** The first page alone. */
  firstPage(): Promise<Page>;
}

type Query = Readonly<Record<string, unknown>>;

interface Page {
  data: unknown[];
  pagination: {
    next_cursor?: string | null;
    page?: number;
    totalPages?: number;
    offset?: number;
    total?: number;
  };
}

/** The items of a list that `fetchPage` reads; `cursorName` is the query parameter that takes `next_cursor`. */
export function itemsOf(
  query: Query,
  cursorName: 'cursor' | 'after',
  fetchPage: (query: Query) => Promise<unknown>,
): Items<unknown, unknown> {
  async function* pages(): AsyncGenerator<Page> {
    let next: Query | null = query;
    while (next !== null) {
      const page = (await fetchPage(next)) as Page;
      yield page;
      next = queryAfter(next, page, cursorName);
    }
  }
  return {
    pages,
    firstPage: () => fetchPage(query),
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* page.data;
    },
  };
}

/** The query of the page after this one; null at the end. By cursor where the list has one: it is stable under inserts. */
function queryAfter(query: Query, { data, pagination }: Page, cursorName: string): Query | null {
  const { next_cursor, page = 1, totalPages, offset = 0, total = 0 } = pagination;
  // The server refuses an offset or a page beside a cursor.
  if (next_cursor) return { ...query, offset: undefined, page: undefined, [cursorName]: next_cursor };
  if (next_cursor === null) return null;
  if (totalPages !== undefined) return page < totalPages ? { ...query, page: page + 1 } : null;
  const read = offset + data.length;
  return data.length > 0 && read < total ? { ...query, offset: read } : null;
}
