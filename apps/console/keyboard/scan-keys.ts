/**
 * What the key presses of a scanner add to the text of a code. Pure; scanner.ts has the listener.
 *
 * A scanner sends control characters as Ctrl with the character 64 places above, as F8, or as Alt with the number on the
 * number block. The field shows each as its picture, so that a person sees them and can take them away.
 */

const PICTURES: Readonly<Record<string, string>> = { '\x04': '␄', '\x1d': '␝', '\x1e': '␞' };
const CONTROLS = Object.fromEntries(Object.entries(PICTURES).map(([control, picture]) => [picture, control]));

/** Control characters as pictures. */
export function pictured(text: string): string {
  return [...text].map((character) => PICTURES[character] ?? character).join('');
}

/** The text of a field that holds pictures. */
export function unpictured(text: string): string {
  return [...text].map((character) => CONTROLS[character] ?? character).join('');
}

export interface ScanPress {
  key: string;
  /** The place on the keyboard: with Ctrl, `key` depends on the layout of the device. */
  code: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
  /** AltGr makes characters and does not count as a modifier. */
  altGraph: boolean;
}

export type ScanKey =
  /** The browser writes it into the field. */
  | { kind: 'character' }
  | { kind: 'control'; text: string }
  /** Part of a number that ends when Alt is released. */
  | { kind: 'digit'; digit: string }
  | { kind: 'end' }
  | { kind: 'clear' }
  /** Of a person: copying and pasting, the palette, and what moves the caret. */
  | { kind: 'other' };

const BY_KEY: Readonly<Record<string, string>> = { ']': '\x1d', '^': '\x1e', d: '\x04' };
const BY_CODE: Readonly<Record<string, string>> = { BracketRight: '\x1d', Digit6: '\x1e', KeyD: '\x04' };
/** Carriage return and line feed. */
const ENDS: readonly string[] = ['j', 'm'];

export function scanKeyOf(press: ScanPress): ScanKey {
  const { key, code, shiftKey, altGraph, metaKey } = press;
  const isControl = press.ctrlKey && !altGraph;
  const isAlt = press.altKey && !altGraph;
  if (metaKey || (isControl && isAlt)) return { kind: 'other' };
  if (isControl) {
    if (ENDS.includes(key.toLowerCase())) return { kind: 'end' };
    const text = BY_KEY[key.toLowerCase()] ?? BY_CODE[code];
    return text === undefined ? { kind: 'other' } : { kind: 'control', text };
  }
  if (isAlt) {
    const [, digit] = /^Numpad(\d)$/.exec(code) ?? [];
    return digit === undefined ? { kind: 'other' } : { kind: 'digit', digit };
  }
  if (key === 'F8') return { kind: 'control', text: '\x1d' };
  if (key === 'Enter' || key === 'Tab') return { kind: shiftKey ? 'other' : 'end' };
  if (key === 'Escape') return { kind: 'clear' };
  return { kind: key.length === 1 ? 'character' : 'other' };
}

/** The character of a number that was typed with Alt: control characters of codes only, the browser writes others. */
export function controlOfNumber(digits: string): string | null {
  const character = String.fromCharCode(Number(digits));
  return PICTURES[character] === undefined ? null : character;
}

/** A scanner leaves less time between two keys; a person more. Story: packing.browser.spec.ts. */
export const MAX_GAP_MS = 50;
/** A person may press as many keys so quickly; a code is longer. */
export const MIN_SCAN_LENGTH = 6;

/** Whether keys come at a scanner's pace, from the times of their presses. */
export class Pace {
  private lastMs = -Infinity;
  private length = 0;
  private isSlow = false;

  /** `isFirst`: the key begins a code. */
  press(atMs: number, isFirst: boolean): void {
    if (isFirst) {
      this.length = 0;
      this.isSlow = false;
    } else if (!this.isQuick(atMs)) this.isSlow = true;
    this.length += 1;
    this.lastMs = atMs;
  }

  isQuick(atMs: number): boolean {
    return atMs - this.lastMs <= MAX_GAP_MS;
  }

  /** A person does not press two keys or more so quickly again and again. */
  get isScanner(): boolean {
    return !this.isSlow && this.length > 1;
  }

  /** Without an end, the code is complete when no key follows. */
  get isScan(): boolean {
    return !this.isSlow && this.length >= MIN_SCAN_LENGTH;
  }

  isOver(nowMs: number): boolean {
    return this.isScan && nowMs - this.lastMs >= MAX_GAP_MS;
  }
}
