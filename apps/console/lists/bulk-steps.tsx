import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { Button } from '../controls/button';
import { useKeys } from '../keyboard/keys';
import { useTexts } from '../text/texts';
import css from './bulk-steps.module.css';
import type { Bulk } from './use-bulk';

/** What the dialogs of acts on many rows have in common. */

interface HeldProps {
  text: string;
  undoMs: number;
  onOver: () => void;
  onUndo: () => void;
}

/** Nothing is sent before the time is over; a dialog or tab that is closed before sends nothing. */
export function BulkHeld({ text, undoMs, onOver, onUndo }: HeldProps) {
  const { undo } = useTexts().requests;
  const over = useRef(onOver);
  useLayoutEffect(() => {
    over.current = onOver;
  });
  useEffect(() => {
    const timer = window.setTimeout(() => {
      over.current();
    }, undoMs);
    return () => {
      window.clearTimeout(timer);
    };
  }, [undoMs]);
  useKeys('dialog', [{ keys: 'z', does: undo, run: onUndo }]);
  return (
    <>
      <p role="status">{text}</p>
      <Button shortcut="z" onPress={onUndo}>
        {undo}
      </Button>
    </>
  );
}

interface RefusedProps<Row> {
  bulk: Pick<Bulk<Row>, 'refused'>;
  label: string;
  nameOf: (row: Row) => ReactNode;
}

/** The rows for which it was not done, each with the reason. */
export function BulkRefused<Row extends { id: string }>({ bulk, label, nameOf }: RefusedProps<Row>) {
  if (bulk.refused.length === 0) return null;
  return (
    <ul className={css.refused} aria-label={label}>
      {bulk.refused.map(({ row, refusal }) => (
        <li key={row.id}>
          {nameOf(row)}: {refusal}
        </li>
      ))}
    </ul>
  );
}
