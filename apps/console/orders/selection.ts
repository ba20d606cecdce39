import type { PipelineRow } from '@offizin/contracts/pipeline';

/** The selected orders by their ids, as they were in the list. A filter that hides one does not unselect it. */
export type Selection = ReadonlyMap<string, PipelineRow>;

export const NOTHING_SELECTED: Selection = new Map();

export function toggled(selection: Selection, row: PipelineRow): Selection {
  const next = new Map(selection);
  if (!next.delete(row.id)) next.set(row.id, row);
  return next;
}

export function withRows(selection: Selection, rows: readonly PipelineRow[]): Selection {
  return new Map([...selection, ...rows.map((row) => [row.id, row] as const)]);
}

export function withoutIds(selection: Selection, ids: Iterable<string>): Selection {
  const next = new Map(selection);
  for (const id of ids) next.delete(id);
  return next;
}

/** From the row that was selected last to this one, in either direction; this one alone when the first is not there. */
export function rangeOf(
  rows: readonly PipelineRow[],
  fromId: string | undefined,
  toId: string,
): readonly PipelineRow[] {
  const to = rows.findIndex(({ id }) => id === toId);
  const found = rows.findIndex(({ id }) => id === fromId);
  const from = found === -1 ? to : found;
  return rows.slice(Math.min(from, to), Math.max(from, to) + 1);
}
