import { type RefObject, useRef } from 'react';
import { useKeys } from '../../keyboard/keys';

/** `Ctrl Enter` sends the form of a dialog from everywhere in it, `Enter` from where it writes no line. */
export function useSendKeys(does: string): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null);
  const run = () => form.current?.requestSubmit();
  useKeys('dialog', [
    { keys: 'Ctrl Enter', does, run },
    { keys: 'Enter', does, run, hidden: true },
  ]);
  return form;
}
