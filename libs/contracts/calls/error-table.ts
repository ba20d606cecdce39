/**
 * Every code of an error answer. `meaning` is in the OpenAPI description; `when` and `then` (what the caller
 * does next) are in docs/integrate/errors.md.
 */
interface ErrorKind {
  status: number;
  meaning: string;
  when: string;
  then: string;
}

export const ERRORS = {
  invalid_request: {
    status: 400,
    meaning: 'A field or query parameter is missing, unknown or not valid, or the body is not JSON',
    when: 'A field, a query value or the JSON itself is not as the contract says, and `details` names every problem; or the request is not valid HTTP/1.1, or did not arrive in time',
    then: 'Correct the named fields, or the client that wrote the request',
  },
  unsupported_grant_type: {
    status: 400,
    meaning: 'OAuth 2.0: the grant type is not client_credentials',
    when: 'An OAuth 2.0 token request with a `grant_type` other than `client_credentials`',
    then: 'Send `grant_type=client_credentials`',
  },
  invalid_scope: {
    status: 400,
    meaning: 'OAuth 2.0: the API key lacks a scope that is asked for',
    when: 'An OAuth 2.0 token request asks for a scope that the API key lacks; the message names it',
    then: 'Leave the scope out, or use a key with it',
  },
  unauthorized: {
    status: 401,
    meaning: 'The token or API key is missing, malformed, unknown, expired or revoked',
    when: 'Token or API key is missing, malformed, unknown, expired or revoked',
    then: 'Get a new token, or a new key',
  },
  invalid_client: {
    status: 401,
    meaning:
      'OAuth 2.0: the client secret is missing or is not a valid API key, or the client id is not its public id',
    when: 'The client of an OAuth 2.0 token request is not known: its secret is not an API key for tokens, or its id is not the public id of that key',
    then: 'Check client id and secret, or get a new key',
  },
  insufficient_scope: {
    status: 403,
    meaning: 'The token or API key lacks the scope',
    when: 'The token lacks the scope that the message names',
    then: 'Use a key with that scope',
  },
  forbidden: {
    status: 403,
    meaning: 'The token or API key belongs to another organization',
    when: 'The token or key belongs to another organization than the path, whether that one exists or not',
    then: 'Use the organization id of the token',
  },
  not_found: {
    status: 404,
    meaning: 'There is no such object in this organization, or no such shop domain',
    when: 'No such path, or nothing of that id in this organization; a foreign id gets the same answer',
    then: 'Check the id',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path has other methods; see Allow',
    when: 'The path exists with another method; `Allow` lists them',
    then: 'Use one of those',
  },
  not_acceptable: {
    status: 406,
    meaning: 'None of the accepted media types can be answered',
    when: 'The wanted media type cannot be made',
    then: 'Accept `application/json`',
  },
  invalid_transition: {
    status: 409,
    meaning: 'The order or order request cannot move to this status; the message says what is allowed',
    when: 'The workflow does not allow this status after the present one, or a question about the request is open',
    then: 'Read the order, choose one of `next_statuses`; end the question, then approve',
  },
  order_closed: {
    status: 409,
    meaning: 'The order is closed: its lines, amounts, customer and delivery stay as they are',
    when: 'The order is `shipped`, `picked_up`, `completed` or `cancelled`, and its lines, amounts, customer or delivery would change',
    then: 'Leave it as it is, or repeat with `force: true` and the scope `settings.write`',
  },
  second_approval_needed: {
    status: 409,
    meaning: 'Two people must approve this: lines, customer and address stay as they are',
    when: 'Two people approved the order request, or must approve the lines that one person writes',
    then: 'Cancel the order and let two people approve a new request',
  },
  out_of_stock: {
    status: 409,
    meaning: 'There is not enough stock; the message names what lacks',
    when: 'Stock would fall below zero, or a line cannot be reserved',
    then: 'Receive stock, or reduce the quantity',
  },
  lot_expired: {
    status: 409,
    meaning: 'The lot has expired',
    when: 'A lot is written to an order after its expiry date, by German time',
    then: 'Pack another lot, or correct the expiry date',
  },
  lot_on_hold: {
    status: 409,
    meaning: 'The lot is on hold',
    when: 'A lot that is on hold is written to an order',
    then: 'Pack another lot; only a pharmacist decides whether the hold is lifted',
  },
  stale_quantity: {
    status: 409,
    meaning: 'The stock is not what the caller takes it to be',
    when: '`expected_quantity` is not the present quantity',
    then: 'Read the quantity, decide again',
  },
  already_decided: {
    status: 409,
    meaning: 'The order request has been decided otherwise; the message names the decision',
    when: 'The order request has another decision already, or is not in a state for this one',
    then: 'Read the request; a repeated equal decision is a 200',
  },
  offer_expired: {
    status: 409,
    meaning: 'The offer of the pharmacy was not answered in time',
    when: 'The answer came after `valid_until` of the offer',
    then: 'Wait for the decision about the request as it was sent',
  },
  reference_conflict: {
    status: 409,
    meaning: 'The reference was sent before with another content',
    when: 'The `external_reference` was sent before with another content',
    then: 'Use a new reference for a new request',
  },
  conflict: {
    status: 409,
    meaning: 'The present state does not allow it; the message says why',
    when: 'Something of that name or code exists, a limit on their number is reached, the object is not in a state for this, or the answer that this `Idempotency-Key` had was erased',
    then: 'As the message says',
  },
  idempotency_in_progress: {
    status: 409,
    meaning: 'The first request with this key is still running',
    when: 'The first request of this `Idempotency-Key` is still running',
    then: 'Wait, repeat',
  },
  precondition_failed: {
    status: 412,
    meaning: 'The object is not of a version that If-Match names',
    when: 'The object is of no version that `If-Match` names',
    then: 'Read again, repeat with the new `ETag`',
  },
  payload_too_large: {
    status: 413,
    meaning: 'The body, or the document in it, is larger than this operation takes',
    when: 'The body, the PDF or the head of the request (16 KiB) is over its limit, or the lines of the order would have more than 384 KiB as answered',
    then: 'Send less',
  },
  unsupported_media_type: {
    status: 415,
    meaning: 'The body is of another media type, or compressed',
    when: 'The body is not JSON, or is compressed',
    then: 'Send plain `application/json` in UTF-8',
  },
  idempotency_key_reused: {
    status: 422,
    meaning: 'The key was used before with another request, or by another API key',
    when: 'The `Idempotency-Key` was used with another request, or by another API key of the organization',
    then: 'Use a new key',
  },
  rate_limited: {
    status: 429,
    meaning: 'Too many requests; see Retry-After',
    when: 'More requests, or versions of one order request, than the limit',
    then: 'Wait as long as `Retry-After` says',
  },
  internal_error: {
    status: 500,
    meaning: 'Something failed on our side; the request id finds it in our logs',
    when: 'A failure of ours',
    then: 'Repeat; if it stays, tell us the `X-Request-Id`',
  },
  core_unreachable: {
    status: 502,
    meaning: 'The shop could not reach the core service; send it again with the same external_reference',
    when: 'Connector only: order-core refused the connection, broke it off or was silent, or the organization uses its whole share of connections',
    then: 'Repeat with the same `external_reference`: it makes one request at most',
  },
  service_unavailable: {
    status: 503,
    meaning: 'The service is unavailable; see Retry-After',
    when: 'A service, its database or the disk is not available, the organization uses its whole share, a statement took too long, or a clock is more than 5 s off; the message says which',
    then: 'Repeat after `Retry-After` seconds',
  },
  timeout: {
    status: 504,
    meaning:
      'The service behind did not answer in time, or was lost during the call; whether it took effect is unknown: repeat',
    when: 'The service behind did not answer in time, or was lost during the call; whether it took effect is unknown',
    then: 'Read, or repeat the same upsert',
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;

/** In the order of the table. */
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];
