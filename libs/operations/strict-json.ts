import { Refused } from '@offizin/contracts/calls/errors';
import { truncateName } from '@offizin/runtime/truncate';

/** Refuses input that JSON.parse accepts but that breaks or misleads later, in one pass. */
export const MAX_JSON_DEPTH = 32;
/** Per object: the cost of copying and checking is quadratic in the number of keys. */
export const MAX_JSON_KEYS = 1_000;
/** Per body: many small values cost far more time and memory than their bytes. */
export const MAX_JSON_VALUES = 100_000;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Throws `Refused` (invalid_request). */
export function parseStrictJson(bytes: Uint8Array, maxValues = MAX_JSON_VALUES): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw refuse('The body is not valid UTF-8.');
  }
  let value: unknown;
  try {
    checkTokens(text, maxValues);
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw refuse('The body is not valid JSON.');
  }
  return value;
}

function refuse(message: string): Refused {
  return new Refused('invalid_request', message, [{ field: 'body', message }]);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const EXPONENTS = [0x45, 0x65];
/** An integer of at most this many characters is exact and finite. */
const SAFE_NUMBER_LENGTH = 15;

/** indexOf skips strings, so a long base64 string costs one scan and a slice that copies nothing. */
function checkTokens(text: string, maxValues: number): void {
  const keysPerDepth: (Set<string> | null)[] = [];
  let pendingString: string | null = null;
  // Each value except the first of its container follows a comma.
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    switch (code) {
      case QUOTE: {
        const end = endOfString(text, at);
        pendingString = text.slice(at, end + 1);
        checkString(pendingString);
        at = end;
        break;
      }
      case COLON: {
        const keys = keysPerDepth.at(-1);
        if (keys && pendingString !== null) addKey(keys, pendingString);
        pendingString = null;
        break;
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        values += 1;
        keysPerDepth.push(code === OPEN_OBJECT ? new Set() : null);
        if (keysPerDepth.length > MAX_JSON_DEPTH) {
          throw refuse(`The body is nested deeper than ${MAX_JSON_DEPTH} levels.`);
        }
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        keysPerDepth.pop();
        pendingString = null;
        break;
      case COMMA:
        values += 1;
        if (values > maxValues) throw refuse(`The body holds more than ${maxValues} values.`);
        pendingString = null;
        break;
      default:
        if (code === MINUS || isDigit(code)) {
          const end = endOfNumber(text, at);
          checkNumber(text.slice(at, end));
          at = end - 1;
        }
    }
  }
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && precedingBackslashes(text, end) % 2 === 1) end = text.indexOf('"', end + 1);
  if (end === -1) throw refuse('The body is not valid JSON: a string does not end.');
  return end;
}

function precedingBackslashes(text: string, at: number): number {
  let count = 0;
  while (text.charCodeAt(at - 1 - count) === BACKSLASH) count++;
  return count;
}

function checkString(raw: string): void {
  if (!raw.includes('\\u')) return;
  const value: unknown = JSON.parse(raw);
  if (typeof value !== 'string' || value.includes('\0')) throw refuse('The body holds a NUL character.');
  if (!value.isWellFormed()) throw refuse('The body holds an unpaired surrogate.');
}

/** Keys that exist on every object get lost or misread when a value is copied. */
function addKey(keys: Set<string>, raw: string): void {
  const key = raw.includes('\\') ? String(JSON.parse(raw)) : raw.slice(1, -1);
  if (key in Object.prototype) throw refuse(`The key ${key} is not accepted.`);
  if (keys.has(key)) throw refuse(`The key ${truncateName(key)} occurs twice in one object.`);
  if (keys.size === MAX_JSON_KEYS) throw refuse(`An object may have at most ${MAX_JSON_KEYS} keys.`);
  keys.add(key);
}

function isDigit(code: number): boolean {
  return code >= DIGIT_0 && code <= DIGIT_9;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (!isDigit(code) && code !== POINT && code !== MINUS && code !== PLUS && !EXPONENTS.includes(code))
      break;
  }
  return end;
}

const RANGE = `from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;

function checkNumber(raw: string): void {
  const isWhole = /^-?\d+$/.test(raw);
  if (isWhole && raw.length <= SAFE_NUMBER_LENGTH) return;
  const value = Number(raw);
  // NaN is not valid JSON: JSON.parse refuses it.
  if (value === Infinity || value === -Infinity)
    throw refuse(`The body holds ${truncateName(raw)}, a number that is too large: send one ${RANGE}.`);
  if (isWhole && !Number.isSafeInteger(value)) {
    throw refuse(
      `The body holds ${truncateName(raw)}, a whole number of more digits than a JSON number keeps: send one ${RANGE}, or an id as a string.`,
    );
  }
}
