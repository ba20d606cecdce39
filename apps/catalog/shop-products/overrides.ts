import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '@offizin/contracts/calls/errors';
import { MAX_TEXT_LENGTH } from '@offizin/contracts/calls/fields';
import { fromCents, isMoney, toCents } from '@offizin/contracts/calls/money';
import { MAX_DESCRIPTION_LENGTH, type OverrideMode } from '@offizin/contracts/products/products';

/**
 * A shop's own values of a product. Five keys are checked by type and applied; all others belong to the caller and are
 * stored unchanged, within the limits of docs/contract.md#products-and-stock.
 */
export type Overrides = Record<string, unknown>;

export const MAX_OVERRIDES_BYTES = 16 * 1024;
export const MAX_OVERRIDES_DEPTH = 5;

/** Keys that could cause prototype pollution. */
const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype'];

/** Bounds the error body. */
const MAX_PROBLEMS = 100;

const text =
  (maxLength: number, minLength = 1) =>
  (value: unknown) =>
    typeof value === 'string' && value.length >= minLength && value.length <= maxLength;

/** The applied keys and their types. null removes an override. */
const APPLIED_KEYS: Record<string, { accepts: (value: unknown) => boolean; expected: string }> = {
  price: { accepts: isMoney, expected: 'a number of EUR from 0 to 99999999.99 with at most two decimals' },
  name: { accepts: text(MAX_TEXT_LENGTH), expected: `a text of 1 to ${MAX_TEXT_LENGTH} characters` },
  category: { accepts: text(MAX_TEXT_LENGTH), expected: `a text of 1 to ${MAX_TEXT_LENGTH} characters` },
  description: {
    accepts: text(MAX_DESCRIPTION_LENGTH, 0),
    expected: `a text of at most ${MAX_DESCRIPTION_LENGTH} characters`,
  },
  available: { accepts: (value) => typeof value === 'boolean', expected: 'true or false' },
};

/** Problems of the overrides in a request; empty if valid. */
export function overridesProblems(given: Overrides): Problem[] {
  const problems = valueProblems(given, 'overrides', 1);
  for (const [key, { accepts, expected }] of Object.entries(APPLIED_KEYS)) {
    const value = Object.hasOwn(given, key) ? given[key] : null;
    if (value !== null && !accepts(value)) {
      problems.push({ field: `overrides.${key}`, message: `must be ${expected}, or null` });
    }
  }
  return [...sizeProblems(given), ...problems].slice(0, MAX_PROBLEMS);
}

/** Also checked after the merge, because merged overrides can exceed the limit. */
export function sizeProblems(overrides: Overrides): Problem[] {
  if (Buffer.byteLength(JSON.stringify(overrides)) <= MAX_OVERRIDES_BYTES) return [];
  return [{ field: 'overrides', message: `must not have more than ${MAX_OVERRIDES_BYTES} bytes as JSON` }];
}

/** Does not change its arguments. */
export function applyOverrides(present: Overrides, given: Overrides, mode: OverrideMode): Overrides {
  const next = mode === 'replace' ? { ...given } : mergeObjects(present, given);
  // Rounds like every amount: a JSON number may carry binary noise.
  if (typeof next['price'] === 'number') next['price'] = fromCents(toCents(next['price']));
  return next;
}

/** True if nothing would change; the order of keys is ignored. */
export function sameOverrides(one: Overrides, other: Overrides): boolean {
  return isDeepStrictEqual(one, other);
}

/** RFC 7396: merges objects key by key at every depth; null removes a key, other values replace. */
function mergeObjects(target: Overrides, patch: Overrides): Overrides {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isObject(value) ? mergeObjects(objectOr(merged.get(key)), value) : value);
  }
  return Object.fromEntries(merged);
}

function objectOr(value: unknown): Overrides {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Overrides {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueProblems(value: unknown, field: string, depth: number): Problem[] {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return [{ field, message: 'must be a number that fits a double' }];
  }
  if (typeof value !== 'object' || value === null) return [];
  if (depth > MAX_OVERRIDES_DEPTH) {
    return [{ field, message: `lies deeper than ${MAX_OVERRIDES_DEPTH} levels` }];
  }
  if (Array.isArray(value)) {
    return value.flatMap((member, place) => valueProblems(member, `${field}[${place}]`, depth + 1));
  }
  return Object.entries(value).flatMap(([key, member]) =>
    FORBIDDEN_KEYS.includes(key)
      ? [{ field: `${field}.${key}`, message: 'is not accepted as a key' }]
      : valueProblems(member, `${field}.${key}`, depth + 1),
  );
}
