import { invalid } from './errors';
import type { Operation } from './operation';
import { fieldsOf } from './schema';
import { isStaffScope } from '../people/scopes';

/**
 * The header `Idempotency-Key` makes a POST of the organization API or of a person's scope idempotent. The owning service stores the first
 * answer (libs/idempotency/idempotency.ts); the gateway refuses a malformed key.
 */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';
/** Set on a repeated stored answer. */
export const REPLAYED_HEADER = 'idempotent-replayed';

/** Printable ASCII. See docs/contract.md#idempotency */
const FORM = /^[\x20-\x7e]{1,255}$/;

/** The connector is idempotent by `external_reference` instead, tokens and sessions are not stored. */
export function takesIdempotencyKey(op: Pick<Operation, 'method' | 'access'>): boolean {
  return op.method === 'POST' && isStaffScope(op.access);
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

/** Throws `Refused` (invalid_request) for a malformed key; ignores keys on other operations. */
export function checkIdempotencyKey(op: Pick<Operation, 'method' | 'access'>, key: unknown): void {
  if (key === undefined || !takesIdempotencyKey(op)) return;
  if (typeof key === 'string' && FORM.test(key)) return;
  throw invalid([{ field: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters' }]);
}
