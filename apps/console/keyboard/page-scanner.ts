import type { QueryClient } from '@tanstack/react-query';
import { soundAlarm, soundCounted } from '../messages/sounds';
import { lock } from '../session/lock';
import { hasAlarm } from '../session/preferences';
import { DIALOGS, FIELDS } from './keys';
import { scanGuard, take, type TakeKey } from './scan-guard';
import { controlOfNumber, MAX_GAP_MS, Pace } from './scan-keys';
import { productOf, type ScannedProduct } from './scanned-product';
import { isPackText, rememberedLayout, sentText } from './scanner-layout';

/**
 * Codes that are scanned where keys are commands, as on the page of the stock: known by their pace alone, so a code that a
 * person types is none. The field of a number never gets a scan; a field of text keeps one that is not the code of a pack,
 * such as the number of a delivery note. A dialog takes scans where it holds `data-takes-scans`.
 */
const TAKES_SCANS = '[data-takes-scans]';
/** A busy browser may deliver the next key late. */
const HELD_MS = 2 * MAX_GAP_MS;
/** A scanner that ends its codes with a key may be late with it. */
const LATE_END_MS = 500;
/** Once a code came with a key as its end, a pause ends none: the lot of a cut code would be another one. */
let isEndedByKey = false;

/** null: codes arrived in parts. */
type OnCode = (code: string | null) => void;

/** Returns whether the code has done what it is for. `alarm`: it has, and a person must look at its pack. */
export type OnScanned = (scanned: ScannedProduct) => ScanResult | Promise<ScanResult>;
export type ScanResult = boolean | 'alarm';

/** Until the function that it returns is called. Codes are dealt with one after the other. */
export function listen(client: QueryClient, onScanned: OnScanned): () => void {
  let queue = Promise.resolve();
  const scanner = new PageScanner((code) => {
    queue = queue.then(async () => {
      const taken = await onScanned(await productOf(client, code));
      if (taken && hasAlarm()) (taken === 'alarm' ? soundAlarm : soundCounted)();
    });
  });
  scanGuard.taker = scanner;
  document.addEventListener('pointerdown', scanner.onPointer, true);
  return () => {
    scanner.stop();
    scanGuard.taker = null;
    document.removeEventListener('pointerdown', scanner.onPointer, true);
  };
}

type TextField = HTMLInputElement | HTMLTextAreaElement;

class PageScanner {
  private pace = new Pace();
  /** The code so far. */
  private text = '';
  /** Of a number that is typed with Alt. */
  private digits = '';
  /** What a field of a number gets if it is not part of a scan. */
  private held: { field: HTMLInputElement; text: string } | null = null;
  /** A field of text, as it was before the scan. */
  private written: { field: TextField; value: string } | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private ignoresEndsUntilMs = 0;

  constructor(private readonly onCode: OnCode) {}

  stop(): void {
    clearTimeout(this.timer);
  }

  readonly onKeyDown: TakeKey = (event, key) => {
    if (isElsewhere()) {
      this.drop();
      return false;
    }
    const isIn = this.text !== '' && this.pace.isQuick(event.timeStamp);
    switch (key.kind) {
      case 'character':
        // Space presses what has the focus, and a held key is one of a person.
        if (!event.repeat && (isIn || event.key !== ' ')) return this.add(event, event.key, isIn);
        break;
      case 'control':
        if (isIn || event.key === ']' || event.key === 'F8') return this.add(event, key.text, isIn);
        break;
      case 'digit':
        if (!isIn) break;
        this.digits += key.digit;
        this.pace.press(event.timeStamp, false);
        return isTakenFromField(event);
      case 'end':
        return this.onEnd(event);
      case 'clear':
        break;
      case 'other':
        return this.onOther(event, isIn);
    }
    this.drop();
    return false;
  };

  readonly onKeyUp = (event: KeyboardEvent): void => {
    if (event.key !== 'Alt' || this.digits === '') return;
    take(event);
    const control = controlOfNumber(this.digits);
    this.digits = '';
    if (control !== null) this.text += control;
  };

  /** A person has typed and goes on with the pointer. */
  readonly onPointer = (): void => {
    if (!this.pace.isScan) this.drop();
  };

  /** True where the key does nothing else. Keys on the page itself are the guard's, which holds the first one back. */
  private add(event: KeyboardEvent, text: string, isIn: boolean): boolean {
    if (!isIn) {
      this.drop();
      this.written = writtenIn(event.target);
    }
    this.ignoresEndsUntilMs = 0;
    this.pace.press(event.timeStamp, !isIn);
    this.text += text;
    const field = numberFieldOf(event.target);
    if (field && text === event.key) this.held = { field, text: (this.held?.text ?? '') + text };
    this.wait();
    return isTakenFromField(event);
  }

  private onOther(event: KeyboardEvent, isIn: boolean): false {
    if (MODIFIERS.has(event.key)) {
      if (isIn) this.pace.press(event.timeStamp, false);
    } else if (isIn && event.ctrlKey && event.key.length === 1) {
      // A control character that no code has: it must not count without it.
      this.add(event, '\ufffd', isIn);
      take(event);
    } else this.drop();
    return false;
  }

  private onEnd(event: KeyboardEvent): boolean {
    const isLate = this.text === '' && event.timeStamp < this.ignoresEndsUntilMs;
    const isScan = this.text !== '' && this.pace.isScan;
    const isEnd = isScan && !this.isForField();
    isEndedByKey ||= isLate || isEnd;
    if (isLate || isEnd) take(event);
    // CR LF is two ends.
    if (isEnd) this.end(event.timeStamp + MAX_GAP_MS);
    else if (!isLate) this.drop();
    return isLate || isEnd;
  }

  /** Such as the number of a lot: the field has its own use for the end, but in a dialog it would send the form. */
  private isForField(): boolean {
    const field = this.written?.field;
    return field !== undefined && field.closest(DIALOGS) === null && !isPackText(this.code());
  }

  private wait(): void {
    clearTimeout(this.timer);
    const isHeld = this.held !== null && !this.pace.isScan;
    this.timer = setTimeout(
      () => {
        const nowMs = performance.now();
        if (!this.pace.isScan) {
          if (this.held) this.drop();
        } else if (!this.pace.isOver(nowMs)) this.wait();
        else if (!isEndedByKey && isPackText(this.code())) this.end(nowMs + LATE_END_MS);
        else
          this.timer = setTimeout(() => {
            this.end(nowMs + 2 * LATE_END_MS);
          }, LATE_END_MS);
      },
      isHeld ? HELD_MS : MAX_GAP_MS,
    );
  }

  private end(ignoresEndsUntilMs: number): void {
    const [code, { written }] = [this.code(), this];
    this.clear();
    this.ignoresEndsUntilMs = ignoresEndsUntilMs;
    if (written !== null) {
      if (!isPackText(code)) return;
      write(written.field, 0, written.field.value.length, written.value);
    }
    this.onCode(code);
  }

  /** As the scanner sent it. */
  private code(): string {
    return sentText(this.text, rememberedLayout() ?? 'same')
      .normalize('NFC')
      .trim();
  }

  /** Another key came first. Too few for a code are a person's, and the field of a number gets them now. */
  private drop(): void {
    const { held, written } = this;
    const isCut = this.text !== '' && this.pace.isScan;
    this.clear();
    if (isCut && written === null) this.onCode(null);
    if (isCut || held === null) return;
    const { field, text } = held;
    write(field, field.selectionStart ?? field.value.length, field.selectionEnd ?? field.value.length, text);
  }

  private clear(): void {
    clearTimeout(this.timer);
    this.pace = new Pace();
    this.text = '';
    this.digits = '';
    this.held = null;
    this.written = null;
  }
}

const MODIFIERS: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'AltGraph']);

function isElsewhere(): boolean {
  const top = [...document.querySelectorAll(DIALOGS)].at(-1);
  return lock.current() !== null || (top !== undefined && top.querySelector(TAKES_SCANS) === null);
}

function numberFieldOf(target: EventTarget | null): HTMLInputElement | null {
  return target instanceof HTMLInputElement && target.inputMode === 'numeric' ? target : null;
}

/** It waits there until it is clear whose it is. */
function isTakenFromField(event: KeyboardEvent): boolean {
  const isTaken = numberFieldOf(event.target) !== null;
  if (isTaken) take(event);
  return isTaken;
}

function writtenIn(target: EventTarget | null): PageScanner['written'] {
  const isText = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  if (!isText || !target.matches(FIELDS) || numberFieldOf(target)) return null;
  return { field: target, value: target.value };
}

/** As if a person had typed it. */
function write(field: TextField, from: number, to: number, text: string): void {
  field.setRangeText(text, from, to, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}
