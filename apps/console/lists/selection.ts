/** The selected rows by their ids, as they were in the list. */
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

/** An act must not reach a row that is not on the screen. */
export function visible<Row extends Identified>(
  selection: Selection<Row>,
  rows: readonly Row[],
): Selection<Row> {
  const ids = new Set(rows.map(({ id }) => id));
  const hidden = [...selection.keys()].filter((id) => !ids.has(id));
  return hidden.length === 0 ? selection : withoutIds(selection, hidden);
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
