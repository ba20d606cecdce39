import { FIELDS, keys } from './keys';
import { MAX_GAP_MS, type ScanKey, scanKeyOf } from './scan-keys';

/**
 * The one listener for scanners, on every page. A scanner is a keyboard. Where a page takes codes, its field gets the keys
 * (scanner.ts). On all other pages no key of a scan is a key of the page or of the browser.
 *
 * The first key of a scan looks like one of a person, and may be a command: a digit sets a mark. So a key with which the codes
 * of packs begin waits until no key has followed it at a scanner's pace, and only then reaches the page. Another character
 * that is not a command begins a scan, too.
 */

/** The codes of packs begin so, also where device and scanner are set to different keyboards. */
const BEGINS = /^[\d[\]+\-(]$/;
/** A timer may be early, and the key that follows is noticed after it was pressed. */
const CLOCK_MS = 10;

/** Returns whether it has dealt with the key. */
export type TakeKey = (event: KeyboardEvent, key: ScanKey) => boolean;

interface Taker {
  onKeyDown: TakeKey;
  onKeyUp: (event: KeyboardEvent) => void;
}

class ScanGuard {
  /** Of the page that takes codes. */
  taker: Taker | null = null;
  /** The last key of a scan that no field gets. */
  private scanMs = -Infinity;
  /** The last key of a text, of a scan or a person, in a field. */
  private textMs = -Infinity;
  /** What may begin a scan, until it is clear. Where letters wait, too, a person presses two so quickly, such as `g s`. */
  private waiting: readonly KeyboardEvent[] = [];

  readonly onKeyDown = (event: KeyboardEvent): void => {
    // Keys that the page sends itself, such as to the chosen entry of a list, are not a scanner's.
    if (!event.isTrusted || event.isComposing || event.key === 'Process') return;
    // Keys keep their order, also where the timer is late.
    if (event.timeStamp - this.scanMs > MAX_GAP_MS) this.handOn();
    const key = scanKeyOf({
      key: event.key,
      code: event.code,
      shiftKey: event.shiftKey,
      ctrlKey: event.ctrlKey,
      altKey: event.altKey,
      metaKey: event.metaKey,
      altGraph: event.getModifierState('AltGraph'),
    });
    if (this.taker?.onKeyDown(event, key)) return;
    this.keepAway(event, key);
  };

  readonly onKeyUp = (event: KeyboardEvent): void => this.taker?.onKeyUp(event);

  private keepAway(event: KeyboardEvent, key: ScanKey): void {
    const isInField = event.target instanceof Element && event.target.closest(`${FIELDS}, select`) !== null;
    const isInScan = event.timeStamp - this.scanMs <= MAX_GAP_MS;
    const isInText = event.timeStamp - this.textMs <= MAX_GAP_MS;
    if (isInScan) {
      this.scanMs = event.timeStamp;
      if (!this.taker || key.kind !== 'character' || this.waiting.length > 1) this.waiting = [];
    }
    if (isInText || (isInField && key.kind === 'character')) this.textMs = event.timeStamp;
    switch (key.kind) {
      case 'character':
        if (isInField) return;
        if (isInScan) return this.waiting.length === 1 ? this.wait(event) : take(event);
        // Space presses what has the focus.
        if (event.repeat || event.key === ' ') return;
        // Where a page takes codes, any of them is loud, and a command may be its first character.
        if (this.taker || canBegin(event.key)) this.scanMs = event.timeStamp;
        if (this.taker || BEGINS.test(event.key)) this.wait(event);
        return;
      case 'control':
        // Ctrl ] and F8, with which a code can begin, are never of a person.
        if (!isInField && (event.key === ']' || event.key === 'F8')) this.scanMs = event.timeStamp;
        else if (!isInScan && !isInText) return;
        return take(event);
      case 'end':
        // Ctrl J and Ctrl M are the browser's, also in a field, which has its own use for Enter and Tab.
        if (isInScan || (isInText && event.ctrlKey)) take(event);
        return;
      case 'digit':
        // Alt and a digit can be another tab of the browser.
        if (isInScan || isInText) take(event);
        return;
      case 'clear':
      case 'other':
        // Shift, Ctrl or Alt before a key of the scan, or a key of a person.
        return;
    }
  }

  private wait(event: KeyboardEvent): void {
    take(event);
    this.waiting = [...this.waiting, event];
    setTimeout(() => {
      if (this.waiting.at(-1) === event) this.handOn();
    }, MAX_GAP_MS + CLOCK_MS);
  }

  private handOn(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const event of waiting) {
      const { target } = event;
      (target instanceof Element && target.isConnected ? target : document.body).dispatchEvent(copyOf(event));
    }
  }
}

export const scanGuard = new ScanGuard();
document.addEventListener('keydown', scanGuard.onKeyDown, { capture: true });
document.addEventListener('keyup', scanGuard.onKeyUp, { capture: true });

function canBegin(key: string): boolean {
  return (
    BEGINS.test(key) || (!/\p{L}/u.test(key) && !keys.bindings().some(({ keys: command }) => command === key))
  );
}

function copyOf(event: KeyboardEvent): KeyboardEvent {
  const { key, code, shiftKey, ctrlKey, altKey, metaKey } = event;
  const modifierAltGraph = event.getModifierState('AltGraph');
  const modifiers = { shiftKey, ctrlKey, altKey, metaKey, modifierAltGraph };
  return new KeyboardEvent('keydown', { key, code, ...modifiers, bubbles: true, cancelable: true });
}

/** The key does nothing else. */
export function take(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}
