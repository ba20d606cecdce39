/** Which binding a key press means. Pure; keys.ts holds the one listener. */

import type { KeyPolicy } from '../controls/key-policy';

export interface KeyPress {
  key: string;
  /** Name of the place on the keyboard, such as `KeyA`; with Alt, `key` may be another character. */
  code: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
  /** AltGr makes characters and counts as no modifier. */
  altGraph: boolean;
  repeat: boolean;
  /** An input method is at work: the key belongs to it. */
  isComposing: boolean;
  /** The focus is in a field that takes text. */
  inField: boolean;
  /** The focus is on a button or a link, which Enter presses. */
  onControl: boolean;
  /** A dialog or a menu is open. */
  inDialog: boolean;
}

export type KeyLayer = 'shell' | 'page' | 'dialog';

export interface KeyBinding {
  /** `a`, `Shift x`, `Ctrl k`, `?`, `ArrowDown`; two keys one after the other: `g r`. */
  keys: string;
  /** What it does, for the list of keys. */
  does: string;
  run: () => void;
  /** A held key acts again and again, as for moving through a list. */
  repeats?: boolean;
  /** Left out of the list of keys, as for a second key of the same act. */
  hidden?: boolean;
}

export interface LayeredBinding extends KeyBinding {
  layer: KeyLayer;
}

export interface KeyChoice {
  binding?: LayeredBinding;
  /** First key of a pair; the next press completes it. */
  pending?: string;
}

const NEAREST_FIRST: readonly KeyLayer[] = ['dialog', 'page', 'shell'];
const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock']);

export function chooseKey(
  bindings: readonly LayeredBinding[],
  press: KeyPress,
  policy: KeyPolicy,
  pending?: string,
): KeyChoice {
  if (press.isComposing || MODIFIERS.has(press.key)) return pending === undefined ? {} : { pending };
  const name = nameOf(press, policy);
  if (name === null) return {};
  const open = bindings.filter(({ layer }) => !press.inDialog || layer === 'dialog');
  const nearest = NEAREST_FIRST.flatMap((layer) => open.filter((binding) => binding.layer === layer));
  // The second key of a pair that there is not does nothing: `g a` must not approve.
  const binding = nearest.find(({ keys }) => keys === (pending === undefined ? name : `${pending} ${name}`));
  if (!binding && pending !== undefined) return {};
  if (binding) return press.repeat && !binding.repeats ? {} : { binding };
  const startsPair = !name.includes(' ') && nearest.some(({ keys }) => isPairFrom(keys, name));
  return startsPair && !press.repeat ? { pending: name } : {};
}

/** Null: this press is not for the console. */
function nameOf(press: KeyPress, policy: KeyPolicy): string | null {
  const control = (press.ctrlKey || press.metaKey) && !press.altGraph;
  const alt = press.altKey && !press.altGraph;
  if (control) return alt ? null : `Ctrl ${shifted(press.key, press.shiftKey)}`;
  if (press.inField) return null;
  if (press.onControl && press.key === 'Enter' && !press.shiftKey) return null;
  const isSingle = press.key.length === 1;
  if (!isSingle) return alt ? null : shifted(press.key, press.shiftKey);
  if (policy === 'off') return null;
  if (policy === 'on') return alt ? null : shifted(press.key, press.shiftKey);
  return alt ? shifted(characterAt(press), press.shiftKey) : null;
}

/** Letters and named keys carry `Shift`; of a symbol such as `?` it is part already. */
function shifted(key: string, shiftKey: boolean): string {
  if (key.length > 1) return shiftKey ? `Shift ${key}` : key;
  const lower = key.toLowerCase();
  const isLetter = lower !== key.toUpperCase();
  return isLetter && shiftKey ? `Shift ${lower}` : lower;
}

function characterAt({ key, code }: KeyPress): string {
  return /^(?:Key|Digit)(.)$/.exec(code)?.[1]?.toLowerCase() ?? key;
}

function isPairFrom(keys: string, first: string): boolean {
  const [start, second] = keys.split(' ');
  return start === first && second !== undefined;
}
