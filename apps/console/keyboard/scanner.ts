import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { lock } from '../session/lock';
import { DIALOGS } from './keys';
import { scanGuard, take, type TakeKey } from './scan-guard';
import { controlOfNumber, MAX_GAP_MS, Pace, pictured, unpictured } from './scan-keys';
import { isPackText, rememberedLayout, sentText } from './scanner-layout';

/**
 * What a page with a field for codes does with the keys of a scanner, which may have any speed. Its codes end with Enter,
 * Tab, CR LF, or with a pause. Each character that is pressed on the page goes to the field.
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
    scanGuard.taker = listener;
    document.addEventListener('click', onClick);
    return () => {
      listener.stop();
      scanGuard.taker = null;
      document.removeEventListener('click', onClick);
    };
  }, [field]);
}

class ScanListener {
  private pace = new Pace();
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

  readonly onKeyDown: TakeKey = (event, key) => {
    if (this.isElsewhere(event)) return false;
    const isEmpty = this.field.value === '';
    switch (key.kind) {
      case 'character':
        // Space presses the button that has the focus; no code begins with it.
        if (isEmpty && event.key === ' ') break;
        event.stopImmediatePropagation();
        this.field.focus();
        this.note(event, isEmpty);
        break;
      case 'control':
        // Only a separator begins a code. Ctrl D of a person is the browser's, and so is Ctrl + on a German keyboard.
        if (isEmpty && event.key !== ']' && event.key !== 'F8') break;
        take(event);
        this.write(key.text, event, isEmpty);
        break;
      case 'digit':
        take(event);
        this.digits += key.digit;
        break;
      case 'end':
        this.onEnd(event, isEmpty);
        break;
      case 'clear':
        this.ignoresEndsUntilMs = 0;
        if (isEmpty) break;
        take(event);
        this.clear();
        break;
      case 'other':
        this.onOther(event, isEmpty);
    }
    return true;
  };

  readonly onKeyUp = (event: KeyboardEvent): void => {
    if (event.key !== 'Alt' || this.digits === '') return;
    take(event);
    const control = controlOfNumber(this.digits);
    this.digits = '';
    if (control !== null) this.write(control, event, this.field.value === '');
  };

  private onOther(event: KeyboardEvent, isEmpty: boolean): void {
    // The release of an earlier Alt may have gone to another window, and its digits count no more.
    if (event.key === 'Alt') this.digits = '';
    // A control character that no code has: it must not count without it.
    if (isEmpty || !event.ctrlKey || event.key.length > 1 || !this.pace.isQuick(event.timeStamp)) return;
    take(event);
    this.write('\ufffd', event, false);
  }

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
      // Of another text a pause does not show that it is whole.
      else if (isPackText(this.text())) this.end(nowMs + LATE_END_MS);
    }, MAX_GAP_MS);
  }

  private end(ignoresEndsUntilMs: number): void {
    const code = this.text().normalize('NFC').trim();
    this.clear();
    this.ignoresEndsUntilMs = ignoresEndsUntilMs;
    this.onCode(code === '' || code.length > MAX_CODE_LENGTH ? null : code);
  }

  /** As the scanner sent it; what a person types is as it is shown. */
  private text(): string {
    const arrived = unpictured(this.field.value);
    return this.pace.isScanner ? sentText(arrived, rememberedLayout() ?? 'same') : arrived;
  }

  private clear(): void {
    clearTimeout(this.timer);
    this.field.value = '';
    this.pace = new Pace();
  }

  private isElsewhere({ target }: KeyboardEvent): boolean {
    if (lock.current() !== null || document.querySelector(DIALOGS) !== null) return true;
    return target !== this.field && target instanceof Element && target.closest(FIELDS) !== null;
  }
}

/** The Enter of a scanner must not press again what a pointer has pressed; what opens something keeps the focus. */
function onClick({ target, detail }: MouseEvent): void {
  const button =
    target instanceof Element ? target.closest('button:not([aria-expanded], [aria-haspopup])') : null;
  if (detail > 0 && button instanceof HTMLElement) button.blur();
}

function isOnControl({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest('a[href], button, summary, [role=button]') !== null;
}
