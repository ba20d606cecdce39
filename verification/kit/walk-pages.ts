interface Page<Row> {
  data: readonly Row[];
  pagination?: { next_cursor: string | null };
  /** Lists of the console have it beside their rows. */
  next_cursor?: string | null;
}

/** Every row of a list by its cursors, as the end of a query and alone; `meanwhile` runs between two pages. */
export async function walkPages<Row>(
  ask: (ofCursor: string, cursor: string | undefined) => Promise<Page<Row>>,
  meanwhile: (page: number) => unknown = () => undefined,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let [page, next]: [number, string | null] = [1, '']; next !== null; page += 1) {
    const answer = await ask(next && `&cursor=${next}`, next || undefined);
    rows.push(...answer.data);
    next = (answer.pagination ?? answer).next_cursor ?? null;
    if (next !== null) await meanwhile(page);
  }
  return rows;
}
