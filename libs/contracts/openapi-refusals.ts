import { ERROR_STATUS, type ErrorCode } from './errors';
import { takesIdempotencyKey } from './idempotency';
import type { Operation } from './operation';
import { isScope } from './scopes';

/** What an operation may refuse, by code. The rules that all follow stand in `refusalsOf`, the rest in the table. */

/** When each code is answered. Source: decisions.md section 2. */
export const ERROR_MEANING: Record<ErrorCode, string> = {
  invalid_request: 'A field or query parameter is missing, unknown or not valid, or the body is no JSON',
  unauthorized: 'The token or API key is missing, malformed, unknown, expired or revoked',
  insufficient_scope: 'The token or API key lacks the scope',
  forbidden: 'The token or API key belongs to another organization',
  not_found: 'There is no such object in this organization, or no such shop domain',
  method_not_allowed: 'The path has other methods; see Allow',
  not_acceptable: 'None of the accepted media types can be answered',
  invalid_transition:
    'The order or order request cannot move to this status; the message says what is allowed',
  out_of_stock: 'There is not enough stock; the message names what lacks',
  stale_quantity: 'The stock is not what the caller takes it to be',
  already_decided: 'The order request has been decided otherwise; the message names the decision',
  reference_conflict: 'The reference was sent before with another content',
  conflict: 'The present state does not allow it; the message says why',
  idempotency_in_progress: 'The first request with this key is still running',
  precondition_failed: 'The object is not of a version that If-Match names',
  payload_too_large: 'The body, or the document in it, is larger than this operation takes',
  unsupported_media_type: 'The body is of another media type, or compressed',
  idempotency_key_reused: 'The key was used before with another request, or by another API key',
  rate_limited: 'Too many requests; see Retry-After',
  internal_error: 'Something failed on our side; the request id finds it in our logs',
  core_unreachable:
    'The shop could not reach the core service; send it again with the same external_reference',
  service_unavailable: 'The service behind is not there now; see Retry-After',
  timeout: 'The service behind did not answer in time; whether it took effect is unknown: repeat',
};

/** By operation: what its own rules refuse, beyond what its definition shows. */
export const OWN_REFUSALS: Readonly<Record<string, readonly ErrorCode[]>> = {
  'tokens.exchange': ['insufficient_scope'],
  'tokens.exchange-for-organization': ['insufficient_scope', 'forbidden'],
  'orders.list': ['not_found'],
  'orders.upsert': ['not_found', 'out_of_stock'],
  'orders.update': ['out_of_stock'],
  'orders.patch-status': ['invalid_transition'],
  'order-requests.submit': ['not_found', 'reference_conflict'],
  'order-requests.submit-external': ['reference_conflict'],
  'order-requests.list': ['not_found'],
  'order-requests.approve': ['invalid_transition', 'already_decided', 'out_of_stock', 'conflict'],
  'order-requests.reject': ['already_decided'],
  'order-requests.request-clarification': ['already_decided'],
  'order-requests.withdraw-clarification': ['already_decided'],
  'order-requests.retry-fetch': ['conflict'],
  'prescriptions.ingest': ['not_found'],
  'prescriptions.list': ['not_found'],
  'products.list': ['not_found'],
  'products.update': ['conflict'],
  'products.attach': ['not_found', 'out_of_stock'],
  'products.detach': ['not_found'],
  'products.overrides': ['not_found'],
  'products.add-to-inventory': ['not_found'],
  'inventory.adjust': ['not_found', 'stale_quantity', 'out_of_stock', 'reference_conflict'],
  'webhooks.create': ['conflict'],
  'webhooks.test': ['conflict'],
  'webhooks.recover': ['conflict'],
  'webhook-deliveries.redeliver': ['conflict'],
  'reports.stats': ['not_found'],
  'reports.top-customers': ['not_found'],
  'reports.product-performance': ['not_found'],
  'reports.product-sales': ['not_found'],
  'reports.service': ['not_found'],
  'api-keys.create': ['not_found', 'conflict'],
  'api-keys.rotate': ['conflict'],
};

/** Every code that the operation may answer, in the order of the error table. */
export function refusalsOf(op: Operation): ErrorCode[] {
  const names = [...op.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
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
  add(true, ...(OWN_REFUSALS[op.name] ?? []));
  return ALL_CODES.filter((code) => may.has(code));
}

export function honoursIfMatch({ hasEntityTag, method }: Operation): boolean {
  return hasEntityTag && (method === 'PUT' || method === 'PATCH');
}

const ALL_CODES = Object.keys(ERROR_STATUS).filter((code): code is ErrorCode =>
  Object.hasOwn(ERROR_STATUS, code),
);
