/**
 * What of a list is shown while a person reads it. A new row that would push known ones down waits until it is asked
 * for; one that comes after them all moves nothing. `known` is empty before the first look.
 */
export function quietRows<Row extends { id: string }>(
  rows: readonly Row[],
  known: ReadonlySet<string>,
): { shown: Row[]; waiting: number } {
  const lastKnown = rows.findLastIndex(({ id }) => known.has(id));
  const shown = rows.filter(({ id }, index) => index > lastKnown || known.has(id));
  return { shown, waiting: rows.length - shown.length };
}
