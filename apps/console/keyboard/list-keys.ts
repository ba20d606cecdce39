import { useState } from 'react';
import { type KeyBinding } from './key-choice';
import { useKeys } from './keys';

interface StepTexts {
  next: string;
  previous: string;
}

interface Steps {
  /** -1 when no row is selected; between two rows when the selected one has left the list. */
  place: number;
  /** Called with the id of the row before or after it. */
  move: (id: string) => void;
}

/** j, k and the arrows go through a list. `further` are the screen's other keys of its list. */
export function useStepKeys(
  rows: readonly { id: string }[],
  { place, move }: Steps,
  texts: StepTexts,
  further: readonly KeyBinding[] = [],
): void {
  const step = (by: number) => () => {
    const wanted = by > 0 ? Math.floor(place + by) : Math.ceil(place + by);
    const row = rows[Math.max(0, Math.min(rows.length - 1, wanted))];
    if (row) move(row.id);
  };
  useKeys('page', [
    { keys: 'j', does: texts.next, run: step(1), repeats: true },
    { keys: 'k', does: texts.previous, run: step(-1), repeats: true },
    { keys: 'ArrowDown', does: texts.next, run: step(1), repeats: true, hidden: true },
    { keys: 'ArrowUp', does: texts.previous, run: step(-1), repeats: true, hidden: true },
    ...further,
  ]);
}

/** Where the row is. One that has left the list keeps its place, between the rows that were beside it. */
export function usePlace(rows: readonly { id: string }[], id: string | undefined): number {
  const [last, setLast] = useState<{ id: string | undefined; place: number }>({ id, place: -1 });
  const found = rows.findIndex((row) => row.id === id);
  if (found >= 0 ? last.id !== id || last.place !== found : last.id !== id) setLast({ id, place: found });
  if (found >= 0 || last.id !== id || last.place < 0) return found;
  return last.place - 0.5;
}

/** Keys of a list whose rows are opened by Enter. Returns the row that they are on: the open one, or where j and k went. */
export function useListKeys(
  rows: readonly { id: string }[],
  openId: string | undefined,
  open: (id: string | undefined, replace?: boolean) => void,
  texts: StepTexts & { openOne: string; back: string },
): string | undefined {
  const [at, setAt] = useState<string | undefined>(openId);
  const id = openId ?? at;
  const move = (to: string) => {
    setAt(to);
    if (openId !== undefined) open(to, true);
  };
  if (openId !== undefined && openId !== at) setAt(openId);
  const enter = () => {
    if (id !== undefined) open(id);
  };
  const place = usePlace(rows, id);
  useStepKeys(rows, { place, move }, texts, [
    { keys: 'Enter', does: texts.openOne, run: enter },
    { keys: 'Escape', does: texts.back, run: () => open(undefined) },
  ]);
  return id;
}
