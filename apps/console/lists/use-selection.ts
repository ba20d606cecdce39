import { useEffect, useState } from 'react';
import { useKeys } from '../keyboard/keys';
import { SELECTION, useDraft } from '../session/use-draft';
import { useTexts } from '../text/texts';
import {
  NOTHING_SELECTED,
  rangeOf,
  type Selection,
  toggled,
  visible,
  withoutIds,
  withRows,
} from './selection';

export interface Selecting<Row> {
  selection: Selection<Row>;
  /** `isRange`: from the row that was selected last. */
  mark: (id: string, isRange: boolean) => void;
  markAll: () => void;
  unmark: (ids: Iterable<string>) => void;
  clear: () => void;
  /** Rows that an act takes out of the list stay selected until its dialog has shown the outcome. */
  freeze: (isFrozen: boolean) => void;
}

interface Options {
  /** Each screen keeps a separate selection. */
  screen: string;
  cursorId: string | undefined;
  /** The rows are those of the present filter. */
  isLoaded: boolean;
  /** What selecting one row is called. */
  one: string;
}

/**
 * Rows that an act takes together, without those that a filter hides. Kept in memory, so that the selection is still there
 * after printing.
 */
export function useSelection<Row extends { id: string }>(
  rows: readonly Row[],
  { screen, cursorId, isLoaded, one }: Options,
): Selecting<Row> {
  const { select } = useTexts();
  const { value: kept, change } = useDraft<Selection<Row>>(screen, SELECTION, NOTHING_SELECTED);
  const [isFrozen, freeze] = useState(false);
  const selection = isLoaded && !isFrozen ? visible(kept, rows) : kept;
  useEffect(() => {
    if (selection.size < kept.size) change(selection);
  });
  const [lastId, setLastId] = useState<string | undefined>();
  const mark = (id: string, isRange: boolean) => {
    const row = rows.find((each) => each.id === id);
    if (!row) return;
    change(isRange ? withRows(selection, rangeOf(rows, lastId, id)) : toggled(selection, row));
    setLastId(id);
  };
  const markAll = () => change(withRows(selection, rows));
  const markCursor = (isRange: boolean) => () => {
    if (cursorId !== undefined) mark(cursorId, isRange);
  };
  useKeys('page', [
    { keys: 'x', does: one, run: markCursor(false) },
    { keys: 'Shift x', does: select.range, run: markCursor(true) },
    { keys: 'Shift a', does: select.all, run: markAll },
  ]);
  return {
    selection,
    mark,
    markAll,
    unmark: (ids) => change(withoutIds(selection, ids)),
    clear: () => change(NOTHING_SELECTED),
    freeze,
  };
}
