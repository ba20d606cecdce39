import { useMemo, useState } from 'react';
import { quietRows } from './quiet-rows';

export interface Quiet<Row> {
  rows: Row[];
  /** New rows that wait to be asked for. */
  waiting: number;
  showAll: () => void;
}

const NOTHING: ReadonlySet<string> = new Set();

/** Keeps what is being read in its place. Another `list` (filter, sort) is another look. */
export function useQuietRows<Row extends { id: string }>(list: string, all: readonly Row[]): Quiet<Row> {
  const [seen, setSeen] = useState({ list, known: NOTHING });
  const known = seen.list === list ? seen.known : NOTHING;
  // The same array as long as nothing has changed: the list lays itself out again for another.
  const { shown, waiting } = useMemo(() => quietRows(all, known), [all, known]);
  if (shown.some(({ id }) => !known.has(id)))
    setSeen({ list, known: new Set([...known, ...shown.map(({ id }) => id)]) });
  const showAll = () => {
    setSeen({ list, known: NOTHING });
  };
  return { rows: shown, waiting, showAll };
}
