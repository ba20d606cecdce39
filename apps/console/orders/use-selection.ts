import { useState } from 'react';
import type { PipelineRow } from '@offizin/contracts/pipeline';
import { useKeys } from '../shell/keys';
import { useDraft } from '../shell/use-draft';
import { useOrderTexts } from './order-texts';
import { NOTHING_SELECTED, rangeOf, type Selection, toggled, withoutIds, withRows } from './selection';

export interface Selecting {
  selection: Selection;
  /** `isRange`: from the row that was selected last. */
  mark: (id: string, isRange: boolean) => void;
  markAll: () => void;
  unmark: (ids: Iterable<string>) => void;
  clear: () => void;
}

/** Orders that an act takes together. Kept in memory, so that it is still there after printing. */
export function useSelection(rows: readonly PipelineRow[], cursorId: string | undefined): Selecting {
  const texts = useOrderTexts();
  const { value: selection, change } = useDraft<Selection>('orders', 'selection', NOTHING_SELECTED);
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
    { keys: 'x', does: texts.select.one, run: markCursor(false) },
    { keys: 'Shift x', does: texts.select.range, run: markCursor(true) },
    { keys: 'Shift a', does: texts.select.all, run: markAll },
  ]);
  return {
    ...{ selection, mark, markAll },
    unmark: (ids) => change(withoutIds(selection, ids)),
    clear: () => change(NOTHING_SELECTED),
  };
}
