import type { ErrorCode } from '@offizin/contracts/errors';

/** When a code is answered, and what the caller does then. One line per code; the compiler asks for each. */
export const ERROR_MEANINGS: Record<ErrorCode, { when: string; then: string }> = {
  invalid_request: {
    when: 'A field, a query value or the JSON itself is not as the contract says, and `details` names every problem; or the request is not valid HTTP/1.1, or did not arrive in time',
    then: 'Correct the named fields, or the client that wrote the request',
  },
  unauthorized: {
    when: 'Token or API key is missing, malformed, unknown, expired or revoked',
    then: 'Get a new token, or a new key',
  },
  insufficient_scope: {
    when: 'The token lacks the scope that the message names',
    then: 'Use a key with that scope',
  },
  forbidden: {
    when: 'The token or key belongs to another organization than the path, whether that one exists or not',
    then: 'Use the organization id of the token',
  },
  not_found: {
    when: 'No such path, or nothing of that id in this organization; a foreign id gets the same answer',
    then: 'Check the id',
  },
  method_not_allowed: {
    when: 'The path exists with another method; `Allow` lists them',
    then: 'Use one of those',
  },
  not_acceptable: { when: 'The wanted media type cannot be made', then: 'Accept `application/json`' },
  invalid_transition: {
    when: 'The workflow does not allow this status after the present one, or a question about the request is open',
    then: 'Read the order, choose one of `next_statuses`; end the question, then approve',
  },
  out_of_stock: {
    when: 'Stock would fall below zero, or a line cannot be reserved',
    then: 'Receive stock, or reduce the quantity',
  },
  stale_quantity: {
    when: '`expected_quantity` is not the present quantity',
    then: 'Read the quantity, decide again',
  },
  already_decided: {
    when: 'The order request has another decision already, or is not in a state for this one',
    then: 'Read the request; a repeated equal decision is a 200',
  },
  reference_conflict: {
    when: 'The `external_reference` was sent before with another content',
    then: 'Use a new reference for a new request',
  },
  conflict: {
    when: 'Something of that name exists, or a limit on their number is reached',
    then: 'As the message says',
  },
  idempotency_in_progress: {
    when: 'The first request of this `Idempotency-Key` is still running',
    then: 'Wait, repeat',
  },
  precondition_failed: {
    when: 'The object is of no version that `If-Match` names',
    then: 'Read again, repeat with the new `ETag`',
  },
  payload_too_large: {
    when: 'The body, the PDF or the head of the request (16 KiB) is over its limit',
    then: 'Send less',
  },
  unsupported_media_type: {
    when: 'The body is not JSON, or is compressed',
    then: 'Send plain `application/json` in UTF-8',
  },
  idempotency_key_reused: {
    when: 'The `Idempotency-Key` was used with another request, or by another API key of the organization',
    then: 'Use a new key',
  },
  rate_limited: { when: 'More requests than the limit', then: 'Wait as long as `Retry-After` says' },
  internal_error: { when: 'A failure of ours', then: 'Repeat; if it stays, tell us the `X-Request-Id`' },
  core_unreachable: {
    when: 'Connector only: order-core refused the connection, broke it off or was silent',
    then: 'Repeat with the same `external_reference`: it makes one request at most',
  },
  service_unavailable: {
    when: 'The service behind the gateway is not there',
    then: 'Repeat after `Retry-After` seconds',
  },
  timeout: {
    when: 'The service behind did not answer in time; whether it took effect is unknown',
    then: 'Read, or repeat the same upsert',
  },
};
