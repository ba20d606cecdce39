import { useEffect, useLayoutEffect, useRef } from 'react';
import type { KeyPolicy } from '../controls/key-policy';
import { chooseKey, type KeyBinding, type KeyLayer, type LayeredBinding } from './key-choice';
import { lock } from '../session/lock';

/**
 * What listens for keys. Pages and dialogs hand in their bindings with `useKeys`. A press with Ctrl or Meta is asked about
 * before the focused control sees it: radio buttons, checkboxes and buttons take every Enter for themselves, `Ctrl Enter`
 * too. All other keys are the control's first.
 */

const PAIR_MS = 1_500;
/** Text is typed there. */
export const FIELDS =
  'input:not([type=checkbox],[type=radio],[type=button],[type=submit],[data-page-keys]), textarea, [contenteditable=true]';
/** What Enter presses by itself. */
const CONTROLS = 'a[href], button, summary, [role=button]';
/** What owns the keys while it is open. */
export const DIALOGS = '[role=dialog], [role=alertdialog], [role=menu]';

type Source = () => readonly LayeredBinding[];

class Keys {
  policy: KeyPolicy = 'on';
  private readonly sources = new Set<Source>();
  private pending: { key: string; until: number } | null = null;

  add(source: Source): () => void {
    this.sources.add(source);
    return () => this.sources.delete(source);
  }

  bindings(): readonly LayeredBinding[] {
    return [...this.sources].flatMap((source) => source());
  }

  readonly onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || lock.current() !== null) return;
    const isFirst = event.eventPhase === Event.CAPTURING_PHASE;
    const altGraph = event.getModifierState('AltGraph');
    if (isFirst !== ((event.ctrlKey || event.metaKey) && !altGraph)) return;
    const waiting = this.pending && this.pending.until > event.timeStamp ? this.pending.key : undefined;
    const target = event.target instanceof Element ? event.target : document.body;
    const press = {
      key: event.key,
      code: event.code,
      shiftKey: event.shiftKey,
      ctrlKey: event.ctrlKey,
      altKey: event.altKey,
      metaKey: event.metaKey,
      altGraph,
      repeat: event.repeat,
      isComposing: event.isComposing || event.key === 'Process',
      inField: target.closest(FIELDS) !== null,
      onControl: target.closest(CONTROLS) !== null,
      inDialog: document.querySelector(DIALOGS) !== null,
    };
    const { binding, pending } = chooseKey(this.bindings(), press, this.policy, waiting);
    this.pending = pending === undefined ? null : { key: pending, until: event.timeStamp + PAIR_MS };
    if (!binding) return;
    event.preventDefault();
    if (isFirst) event.stopPropagation();
    binding.run();
  };
}

export const keys = new Keys();

/** Starts to listen; once, by the shell. */
export function useKeyListener(policy: KeyPolicy): void {
  useEffect(() => {
    keys.policy = policy;
  }, [policy]);
  useEffect(() => {
    document.addEventListener('keydown', keys.onKeyDown, true);
    document.addEventListener('keydown', keys.onKeyDown);
    return () => {
      document.removeEventListener('keydown', keys.onKeyDown, true);
      document.removeEventListener('keydown', keys.onKeyDown);
    };
  }, []);
}

/** The bindings are those of the last render, so they may close over what it showed. */
export function useKeys(layer: KeyLayer, bindings: readonly KeyBinding[]): void {
  const latest = useRef(bindings);
  useLayoutEffect(() => {
    latest.current = bindings;
  });
  useLayoutEffect(() => keys.add(() => latest.current.map((binding) => ({ ...binding, layer }))), [layer]);
}
