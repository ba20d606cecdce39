interface Page<Row> {
  data: readonly Row[];
  pagination: { next_cursor: string | null };
}

/** Every row of a list by its cursors, which `ask` appends to its query; `meanwhile` runs between two pages. */
export async function walkPages<Row>(
  ask: (cursor: string) => Promise<Page<Row>>,
  meanwhile: (page: number) => unknown = () => undefined,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let [page, next]: [number, string | null] = [1, '']; next !== null; page += 1) {
    const { data, pagination } = await ask(next && `&cursor=${next}`);
    rows.push(...data);
    next = pagination.next_cursor;
    if (next !== null) await meanwhile(page);
  }
  return rows;
}
