import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { readScan } from '@offizin/codes/scan';
import { lock } from '../session/lock';
import { DIALOGS } from './keys';
import { controlOfNumber, MAX_GAP_MS, Pace, pictured, scanKeyOf, unpictured } from './scan-keys';

/**
 * The one listener for scanners. A scanner is a keyboard of any speed whose codes end with Enter, Tab, CR LF, or with a
 * pause. While a page takes codes, each character that is pressed on it goes to the field for codes, and no key of a scan
 * is a key of the page or of the browser.
 */

/** Text is typed there, by people and scanners alike. */
const FIELDS = 'input, textarea, select, [contenteditable=true]';
/** As long as a code with all of its fields may be. */
const MAX_CODE_LENGTH = 512;
/** The end of a scan that a pause has ended already. */
const LATE_END_MS = 500;
/** A scanner ends all codes alike: once one came with a key, a pause is the device's, and ends none. */
let isEndedByKey = false;

/** Gets the text of the code; null when an end came without one, or with more than a code has. */
export type OnCode = (code: string | null) => void;

/** The field for codes: its text is the code so far, with pictures of control characters. */
export function useScanner(field: RefObject<HTMLInputElement | null>, onCode: OnCode): void {
  const latest = useRef(onCode);
  useLayoutEffect(() => {
    latest.current = onCode;
  });
  useEffect(() => {
    if (!field.current) return undefined;
    const listener = new ScanListener(field.current, (code) => {
      latest.current(code);
    });
    document.addEventListener('keydown', listener.onKeyDown, { capture: true });
    document.addEventListener('keyup', listener.onKeyUp, { capture: true });
    document.addEventListener('click', onClick);
    return () => {
      listener.stop();
      document.removeEventListener('keydown', listener.onKeyDown, { capture: true });
      document.removeEventListener('keyup', listener.onKeyUp, { capture: true });
      document.removeEventListener('click', onClick);
    };
  }, [field]);
}

class ScanListener {
  private readonly pace = new Pace();
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Of a number that is typed with Alt. */
  private digits = '';
  private ignoresEndsUntilMs = 0;

  constructor(
    private readonly field: HTMLInputElement,
    private readonly onCode: OnCode,
  ) {}

  stop(): void {
    clearTimeout(this.timer);
  }

  readonly onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.key === 'Process' || this.isElsewhere(event)) return;
    const isEmpty = this.field.value === '';
    const key = scanKeyOf({
      key: event.key,
      code: event.code,
      shiftKey: event.shiftKey,
      ctrlKey: event.ctrlKey,
      altKey: event.altKey,
      metaKey: event.metaKey,
      altGraph: event.getModifierState('AltGraph'),
    });
    switch (key.kind) {
      case 'character':
        // Space presses the button that has the focus; no code begins with it.
        if (isEmpty && event.key === ' ') return;
        event.stopImmediatePropagation();
        this.field.focus();
        return this.note(event, isEmpty);
      case 'control':
        // Only a separator begins a code. Ctrl D of a person is the browser's, and so is Ctrl + on a German keyboard.
        if (isEmpty && event.key !== ']' && event.key !== 'F8') return;
        take(event);
        return this.write(key.text, event, isEmpty);
      case 'digit':
        take(event);
        this.digits += key.digit;
        return;
      case 'end':
        return this.onEnd(event, isEmpty);
      case 'clear':
        this.ignoresEndsUntilMs = 0;
        if (isEmpty) return;
        take(event);
        this.clear();
        return;
      case 'other':
        // The release of an earlier Alt may have gone to another window, and its digits count no more.
        if (event.key === 'Alt') this.digits = '';
        // A control character that no code has: it must not count without it.
        if (isEmpty || !event.ctrlKey || event.key.length > 1 || !this.pace.isQuick(event.timeStamp)) return;
        take(event);
        return this.write('\ufffd', event, false);
    }
  };

  readonly onKeyUp = (event: KeyboardEvent): void => {
    if (event.key !== 'Alt' || this.digits === '') return;
    take(event);
    const control = controlOfNumber(this.digits);
    this.digits = '';
    if (control !== null) this.write(control, event, this.field.value === '');
  };

  private onEnd(event: KeyboardEvent, isEmpty: boolean): void {
    const isLate = isEmpty && event.timeStamp < this.ignoresEndsUntilMs;
    isEndedByKey ||= isLate || (!isEmpty && this.pace.isScan);
    if (isLate) return take(event);
    // Tab moves the focus, and Enter presses what has it.
    if (isEmpty && (event.key !== 'Enter' || isOnControl(event))) return;
    take(event);
    // CR LF is two ends.
    this.end(event.timeStamp + MAX_GAP_MS);
  }

  private write(text: string, { timeStamp }: KeyboardEvent, isFirst: boolean): void {
    const { field } = this;
    field.focus();
    const { selectionStart, selectionEnd } = field;
    const end = field.value.length;
    field.setRangeText(pictured(text), selectionStart ?? end, selectionEnd ?? end, 'end');
    this.note({ timeStamp }, isFirst);
  }

  private note({ timeStamp }: Pick<KeyboardEvent, 'timeStamp'>, isFirst: boolean): void {
    this.ignoresEndsUntilMs = 0;
    this.pace.press(timeStamp, isFirst);
    this.wait();
  }

  private wait(): void {
    clearTimeout(this.timer);
    if (isEndedByKey || !this.pace.isScan) return;
    this.timer = setTimeout(() => {
      const nowMs = performance.now();
      if (!this.pace.isOver(nowMs)) this.wait();
      else if (isPack(unpictured(this.field.value))) this.end(nowMs + LATE_END_MS);
    }, MAX_GAP_MS);
  }

  private end(ignoresEndsUntilMs: number): void {
    const code = unpictured(this.field.value).normalize('NFC').trim();
    this.clear();
    this.ignoresEndsUntilMs = ignoresEndsUntilMs;
    this.onCode(code === '' || code.length > MAX_CODE_LENGTH ? null : code);
  }

  private clear(): void {
    clearTimeout(this.timer);
    this.field.value = '';
  }

  private isElsewhere({ target }: KeyboardEvent): boolean {
    if (lock.current() !== null || document.querySelector(DIALOGS) !== null) return true;
    return target !== this.field && target instanceof Element && target.closest(FIELDS) !== null;
  }
}

/** Of another text a pause does not show that it is whole. */
function isPack(text: string): boolean {
  const { kind } = readScan(text, { year: new Date().getFullYear() });
  return kind !== 'p1_id' && kind !== 'unreadable';
}

/** The Enter of a scanner must not press again what a pointer has pressed; what opens something keeps the focus. */
function onClick({ target, detail }: MouseEvent): void {
  const button =
    target instanceof Element ? target.closest('button:not([aria-expanded], [aria-haspopup])') : null;
  if (detail > 0 && button instanceof HTMLElement) button.blur();
}

function take(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

function isOnControl({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest('a[href], button, summary, [role=button]') !== null;
}
