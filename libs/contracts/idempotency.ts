import { invalid } from './errors';
import type { Operation } from './operation';
import { fieldsOf } from './schema';
import { isScope } from './scopes';

/**
 * The header `Idempotency-Key`: with it, a POST of the organization API takes effect once, however often it is sent.
 * The owning service keeps the first answer (libs/idempotency/idempotency.ts); the gateway refuses a malformed key.
 */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';
/** On an answer that is the first one again. */
export const REPLAYED_HEADER = 'idempotent-replayed';

/** Printable ASCII. Source: decisions.md section 1. */
const FORM = /^[\x20-\x7e]{1,255}$/;

/** The connector repeats by `external_reference` instead, and a token is not kept. */
export function takesIdempotencyKey(op: Pick<Operation, 'method' | 'access'>): boolean {
  return op.method === 'POST' && isScope(op.access);
}

const secretFields = new WeakMap<object, readonly string[]>();

/** Secrets at the top level of the operation's reply. The stored answer holds null in their place. */
export function shownOnceFields({ reply }: Pick<Operation, 'reply'>): readonly string[] {
  if (typeof reply !== 'function') return [];
  let names = secretFields.get(reply);
  if (!names) {
    names = [...fieldsOf(reply)].filter(([, { shownOnce }]) => shownOnce).map(([name]) => name);
    secretFields.set(reply, names);
  }
  return names;
}

/** Throws `Refused` (invalid_request) for a key that cannot be kept; a key on another operation is not looked at. */
export function checkIdempotencyKey(op: Pick<Operation, 'method' | 'access'>, key: unknown): void {
  if (key === undefined || !takesIdempotencyKey(op)) return;
  if (typeof key === 'string' && FORM.test(key)) return;
  throw invalid([{ field: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters' }]);
}
