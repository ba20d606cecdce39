/** A scanner is a keyboard that types faster than people and ends with Enter. Pure; use-scanner.ts listens. */

/** The longest pause between two presses of a scanner. */
export const SCAN_PAUSE_MS = 50;
/** A person presses two keys in this time, such as `g o`, but never three and Enter. */
const MIN_CODE_LENGTH = 3;
/** As long as a product's id may be. */
const MAX_CODE_LENGTH = 255;
/** No control characters, which scanners send for some codes. */
const CODE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u;

export interface Press {
  /** As of the event: a character, or a name such as `Enter`. */
  key: string;
  atMs: number;
  /** Without Ctrl, Alt and Meta, and no part of a composition. */
  isPlain: boolean;
}

/** The presses that may be the beginning of a scan. */
export interface Hearing {
  text: string;
  lastMs: number;
  isGarbage: boolean;
}

/** `typed`: no scan; the presses mean what they mean elsewhere. */
export type Heard =
  { kind: 'waiting'; hearing: Hearing } | { kind: 'scan'; code: string } | { kind: 'garbage' | 'typed' };

export function hear(before: Hearing | null, press: Press): Heard {
  const { key, atMs, isPlain } = press;
  const isCharacter = [...key].length === 1 && isPlain;
  const hearing = before && atMs - before.lastMs <= SCAN_PAUSE_MS ? before : null;
  if (!hearing) {
    // Space presses the button that has the focus; no code begins with it.
    return isCharacter && key !== ' '
      ? { kind: 'waiting', hearing: { text: key, lastMs: atMs, isGarbage: false } }
      : TYPED;
  }
  if (key === 'Enter' && isPlain) return ended(hearing);
  if (!isCharacter && isShort(hearing)) return TYPED;
  const text = isCharacter ? hearing.text + key : hearing.text;
  const isTooLong = text.length > MAX_CODE_LENGTH;
  return {
    kind: 'waiting',
    hearing: {
      text: text.slice(0, MAX_CODE_LENGTH),
      lastMs: atMs,
      isGarbage: hearing.isGarbage || !isCharacter || isTooLong,
    },
  };
}

/** No further press came in time. */
export function heardWithoutEnter(hearing: Hearing): Heard {
  return isShort(hearing) ? TYPED : { kind: 'garbage' };
}

const TYPED: Heard = { kind: 'typed' };

function ended(hearing: Hearing): Heard {
  if (isShort(hearing)) return TYPED;
  const code = hearing.text.normalize('NFC').trim();
  return hearing.isGarbage || !CODE.test(code) ? { kind: 'garbage' } : { kind: 'scan', code };
}

function isShort({ text, isGarbage }: Hearing): boolean {
  return !isGarbage && text.length < MIN_CODE_LENGTH;
}
