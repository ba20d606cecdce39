import { FIELDS, keys } from './keys';
import { MAX_GAP_MS, type ScanKey, scanKeyOf } from './scan-keys';

/**
 * The one listener for scanners, on every page. A scanner is a keyboard. Where a page takes codes, its field gets the keys
 * (scanner.ts). On all other pages no key of a scan is a key of the page or of the browser.
 *
 * The first key of a scan looks like one of a person. Codes begin with a digit or a sign, and most commands are letters: so
 * another character that is not a command here begins a scan, and the keys that follow it faster than a person's have no
 * other meaning. A command before it acts: of digits and signs only some show another tab or size of a document.
 */

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

  readonly onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.key === 'Process') return;
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
    const isInField = event.target instanceof Element && event.target.closest(FIELDS) !== null;
    const isInScan = event.timeStamp - this.scanMs <= MAX_GAP_MS;
    const isInText = event.timeStamp - this.textMs <= MAX_GAP_MS;
    if (isInScan) this.scanMs = event.timeStamp;
    if (isInText || (isInField && key.kind === 'character')) this.textMs = event.timeStamp;
    switch (key.kind) {
      case 'character':
        if (isInField) return;
        if (isInScan) return take(event);
        if (canBegin(event.key)) this.scanMs = event.timeStamp;
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
}

export const scanGuard = new ScanGuard();
document.addEventListener('keydown', scanGuard.onKeyDown, { capture: true });
document.addEventListener('keyup', scanGuard.onKeyUp, { capture: true });

function canBegin(key: string): boolean {
  // Space presses what has the focus.
  return !/[\p{L} ]/u.test(key) && !keys.bindings().some(({ keys: command }) => command === key);
}

/** The key does nothing else. */
export function take(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}
