import { ERROR_CODES, type ErrorCode } from '@offizin/contracts/error-table';
import { takesIdempotencyKey } from '@offizin/contracts/idempotency';
import type { Operation } from '@offizin/contracts/operation';
import { pathParameters } from '@offizin/contracts/path-template';
import { isScope } from '@offizin/contracts/scopes';

/** Every error code of the operation, in the order of the error table: general rules plus its own `refuses`. */
export function refusalsOf(op: Operation): ErrorCode[] {
  const names = pathParameters(op.path);
  const connector = op.access === 'connector';
  const scoped = isScope(op.access);
  const may = new Set<ErrorCode>([
    'invalid_request',
    'unauthorized',
    'not_acceptable',
    'rate_limited',
    'internal_error',
  ]);
  const add = (when: boolean, ...codes: ErrorCode[]): void => {
    if (when) for (const code of codes) may.add(code);
  };
  add(scoped, 'insufficient_scope', 'service_unavailable', 'timeout');
  add(scoped && names.includes('orgId'), 'forbidden');
  add(connector, 'not_found', 'core_unreachable');
  add(
    names.some((name) => name !== 'orgId'),
    'not_found',
  );
  add(takesIdempotencyKey(op), 'idempotency_in_progress', 'idempotency_key_reused');
  add(honoursIfMatch(op), 'precondition_failed');
  add(op.body !== null, 'payload_too_large', 'unsupported_media_type');
  add(true, ...op.refuses);
  return ERROR_CODES.filter((code) => may.has(code));
}

export function honoursIfMatch({ hasEntityTag, method }: Operation): boolean {
  return hasEntityTag && (method === 'PUT' || method === 'PATCH');
}
