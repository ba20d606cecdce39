/** The selected rows by their ids, as they were in the list. A filter that hides one does not unselect it. */
export type Selection<Row> = ReadonlyMap<string, Row>;

interface Identified {
  id: string;
}

export const NOTHING_SELECTED: Selection<never> = new Map<string, never>();

export function toggled<Row extends Identified>(selection: Selection<Row>, row: Row): Selection<Row> {
  const next = new Map(selection);
  if (!next.delete(row.id)) next.set(row.id, row);
  return next;
}

export function withRows<Row extends Identified>(
  selection: Selection<Row>,
  rows: readonly Row[],
): Selection<Row> {
  return new Map([...selection, ...rows.map((row) => [row.id, row] as const)]);
}

export function withoutIds<Row>(selection: Selection<Row>, ids: Iterable<string>): Selection<Row> {
  const next = new Map(selection);
  for (const id of ids) next.delete(id);
  return next;
}

/** From the row that was selected last to this one, in either direction; this one alone when the first is not there. */
export function rangeOf<Row extends Identified>(
  rows: readonly Row[],
  fromId: string | undefined,
  toId: string,
): readonly Row[] {
  const to = rows.findIndex(({ id }) => id === toId);
  const found = rows.findIndex(({ id }) => id === fromId);
  const from = found === -1 ? to : found;
  return rows.slice(Math.min(from, to), Math.max(from, to) + 1);
}
