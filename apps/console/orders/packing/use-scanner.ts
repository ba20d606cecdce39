import { useEffect, useLayoutEffect, useRef } from 'react';
import { DIALOGS } from '../../keyboard/keys';
import { lock } from '../../session/lock';
import { hear, heardWithoutEnter, type Hearing, SCAN_PAUSE_MS } from './scan';

/** The browser may run a timer before a press that came in time. */
const RELEASE_AFTER_MS = SCAN_PAUSE_MS + 30;
/** Text is typed there, by people and scanners alike. */
const FIELDS = 'input, textarea, select, [contenteditable=true]';
const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock']);

/** Gets the code, or null for garbage. */
export type OnScan = (code: string | null) => void;

/**
 * Calls `onScan` for each scan. It hears each key before the page does: a press waits until it
 * is clear that no scan has begun, and only then acts as a key of the page.
 */
export function useScanner(onScan: OnScan): void {
  const latest = useRef(onScan);
  useLayoutEffect(() => {
    latest.current = onScan;
  });
  useEffect(() => {
    const listener = new ScanListener((code) => {
      latest.current(code);
    });
    document.addEventListener('keydown', listener.onKeyDown, { capture: true });
    return () => {
      document.removeEventListener('keydown', listener.onKeyDown, { capture: true });
      listener.stop();
    };
  }, []);
}

class ScanListener {
  private hearing: Hearing | null = null;
  private waiting: KeyboardEvent[] = [];
  private timer = 0;
  private readonly released = new WeakSet<Event>();

  constructor(private readonly onScan: OnScan) {}

  readonly onKeyDown = (event: KeyboardEvent): void => {
    if (this.released.has(event) || event.repeat || MODIFIERS.has(event.key) || isElsewhere(event)) return;
    const isPlain = !hasModifier(event) && !event.isComposing && event.key !== 'Process';
    const heard = hear(this.hearing, { key: event.key, atMs: event.timeStamp, isPlain });
    if (heard.kind !== 'typed') {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    if (heard.kind !== 'waiting') {
      this.end(heard.kind === 'scan' ? heard.code : null, heard.kind === 'typed');
      return;
    }
    // Pressed after a pause: what waited before was typed.
    if (this.hearing && heard.hearing.text.length === 1) this.release();
    this.hearing = heard.hearing;
    if (this.waiting.length < 2) this.waiting.push(event);
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      const last = this.hearing && heardWithoutEnter(this.hearing);
      if (last) this.end(null, last.kind === 'typed');
    }, RELEASE_AFTER_MS);
  };

  readonly stop = (): void => {
    window.clearTimeout(this.timer);
  };

  private end(code: string | null, isTyped: boolean): void {
    window.clearTimeout(this.timer);
    this.hearing = null;
    if (isTyped) {
      this.release();
      return;
    }
    this.waiting = [];
    this.onScan(code);
  }

  private release(): void {
    const events = this.waiting;
    this.waiting = [];
    for (const event of events) {
      const again = new KeyboardEvent(event.type, event);
      this.released.add(again);
      (event.target ?? document).dispatchEvent(again);
    }
  }
}

/** AltGr makes characters and counts as no modifier. */
function hasModifier(event: KeyboardEvent): boolean {
  return event.metaKey || ((event.ctrlKey || event.altKey) && !event.getModifierState('AltGraph'));
}

function isElsewhere({ target }: KeyboardEvent): boolean {
  if (lock.current() !== null || document.querySelector(DIALOGS) !== null) return true;
  return target instanceof Element && target.closest(FIELDS) !== null;
}
