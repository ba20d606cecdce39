import {
  GERMAN_ON_US,
  isPack,
  isWrittenBy,
  type Layout,
  readScan,
  translated,
  US_ON_GERMAN,
} from '@offizin/codes/scan';

/**
 * Which keyboard the scanner writes for, where the device has another one: a setting of the device, learned by one
 * printed code.
 */

/**
 * The text of that code. It has the characters that differ between German and US keyboards, and some that differ on
 * others; a German and a US device can write all of them, and none is a dead key.
 */
export const LAYOUT_CODE = 'AQMWYZyz-_/#;:0189';

const LAYOUTS = { same: {}, us_on_german: US_ON_GERMAN, german_on_us: GERMAN_ON_US } satisfies Record<
  string,
  Layout
>;
export type ScannerLayout = keyof typeof LAYOUTS;
const NAMES: readonly ScannerLayout[] = ['same', 'us_on_german', 'german_on_us'];

/** By how the printed code arrived; null for another text, or for keyboards that are not known. */
export function layoutOf(arrived: string): ScannerLayout | null {
  const isCode = (text: string) => text.replace(IDENTIFIER, '') === LAYOUT_CODE;
  return NAMES.find((name) => isCode(translated(arrived.trim(), LAYOUTS[name]))) ?? null;
}

/** Of Data Matrix. A scanner with AltGr may lose the bracket. */
const IDENTIFIER = /^\]?d1/;

/** The text that a scanner of this layout has sent; a text that the layout cannot write is left as it is. */
export function sentText(arrived: string, layout: ScannerLayout): string {
  const keys: Layout = LAYOUTS[layout];
  const text = isWrittenBy(keys, arrived) ? translated(arrived, keys) : arrived;
  if (layout !== 'german_on_us') return text;
  // AltGr writes the bracket with which a code begins. A US device has no AltGr, and the bracket is lost; so is `>`.
  const candidates = [text, `]${text}`, text.replace(/^.{1,2}(?=\x1e0[56]\x1d)/, '[)>')];
  return candidates.find(isPackText) ?? text;
}

/** Whether the text is the whole code of a pack. */
export function isPackText(text: string): boolean {
  return isPack(readScan(text, { year: new Date().getFullYear() }));
}

const STORED_AS = 'offizin.scanner';

/** Null until the device has learned it. */
export function rememberedLayout(): ScannerLayout | null {
  const stored = read();
  return NAMES.find((name) => name === stored) ?? null;
}

// Storage can be refused by the browser's settings; the scanner works without.
function read(): string | null {
  try {
    return window.localStorage.getItem(STORED_AS);
  } catch {
    return null;
  }
}

/** False if the browser refuses. */
export function rememberLayout(layout: ScannerLayout): boolean {
  try {
    window.localStorage.setItem(STORED_AS, layout);
    return true;
  } catch {
    return false;
  }
}
