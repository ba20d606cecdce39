import { type Caller, isWarmUp } from '@offizin/contracts/calls/caller';
import { isConfirmed, notConfirmed } from '@offizin/contracts/calls/confirmation';
import { errorAnswer, invalid, Refused, TooSlow, Unreachable } from '@offizin/contracts/calls/errors';
import { REPLAYED_HEADER } from '@offizin/contracts/calls/idempotency';
import { TEST_REFUSAL_HEADER, TEST_REFUSAL_STATUS } from '@offizin/contracts/calls/test-mark';
import {
  accessOf,
  type Answer,
  type Call,
  CALL_HEADERS,
  type CallHeader,
  type HandedInDocuments,
  type KeyRun,
  type Operation,
  type Pieces,
  takesPrecondition,
} from '@offizin/contracts/calls/operation';
import { errorFields, log } from '@offizin/runtime/log';
import { operationDuration } from '@offizin/runtime/metrics';
import { truncateName } from '@offizin/runtime/truncate';
import { traced } from '@offizin/runtime/tracing';
import { MALFORMED_TAGS, matchesWeakly, readEntityTags } from './entity-tags';
import { MAX_JSON_VALUES, parseStrictJson } from './strict-json';
import { MAX_PROBLEMS, validate, validateQuery } from './validate';

/** One call in the owning service, over the bus or HTTP. Errors become the contract's error body here. */
export interface ReceivedCall {
  caller: Caller;
  params: Record<string, string>;
  queryString: string;
  headers: Readonly<Partial<Record<CallHeader, string>>>;
  body: Uint8Array;
  /** Only the head of the answer is asked for. */
  isHead?: boolean;
  /** Instead of `body`, for bodies too large to parse on the event loop. Throws `Refused` like parsing here. */
  open?: () => Promise<OpenedBody>;
  opened?: OpenedBody;
  traceparent?: string | null;
  /** Default: ANSWER_WITHIN_MS. */
  answerWithinMs?: number;
}

/** A body parsed off the event loop, with its documents apart. */
export interface OpenedBody {
  plain: unknown;
  documents: HandedInDocuments;
}

export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array | string;
  /** Instead of `body`. */
  pieces?: Pieces;
}

export type OperationHandler = (call: Call<Operation>) => Promise<Answer<unknown>>;

/** `run` turns refusals and failures into answers and never throws. */
export type AroundCall = (
  op: Operation,
  received: ReceivedCall,
  run: (keyRun?: KeyRun) => Promise<WireAnswer>,
) => Promise<WireAnswer>;

export async function serveOperation(
  op: Operation,
  handler: OperationHandler,
  received: ReceivedCall,
  around?: AroundCall,
): Promise<WireAnswer> {
  const { traceparent: parent = null, caller } = received;
  // Internal background calls begin no trace.
  if (parent === null && op.access === 'internal') return serveUntraced(op, handler, received, around);
  const attributes = { 'rpc.method': op.name, 'offizin.request_id': caller.requestId };
  return traced({ name: op.name, kind: 'server', attributes, parent }, async (span) => {
    const answer = await serveUntraced(op, handler, received, around);
    span?.set({ 'http.response.status_code': answer.status });
    if (isFailure(answer)) span?.fail(String(answer.status));
    return answer;
  });
}

async function serveUntraced(
  op: Operation,
  handler: OperationHandler,
  received: ReceivedCall,
  around: AroundCall = (_op, _received, run) => run(),
): Promise<WireAnswer> {
  const startedAt = performance.now();
  let failure: unknown;
  const answering = async (work: () => Promise<WireAnswer>): Promise<WireAnswer> => {
    try {
      return await work();
    } catch (error) {
      failure = error;
      return refusalOf(op, error);
    }
  };
  const work = answering(async () => {
    checkAccess(op, received.caller);
    if (op.needsConfirmation && !isConfirmed(received.caller, Date.now())) throw notConfirmed();
    checkPreconditions(op, received.headers);
    const call = received.open ? { ...received, opened: await received.open() } : received;
    const run = (keyRun?: KeyRun) =>
      answering(async () =>
        started(toWire(unlessKnown(op, call, await handler(buildCall(op, call, startedAt, keyRun)))), call),
      );
    return around(op, call, run);
  });
  const answered = await inTime(op, work, received, (late) => (failure = late));
  const answer = challenging(received.caller, answered);
  if (!isWarmUp(received.caller)) record(op, received, { answer, failure, startedAt });
  return answer;
}

const TOKEN_ERRORS: Partial<Record<number, string>> = { 401: 'invalid_token', 403: 'insufficient_scope' };

/** RFC 6750, section 3: the refusal of a token names scheme and error. Other callers have none. */
function challenging({ kind }: Caller, answer: WireAnswer): WireAnswer {
  const error = kind === 'key' ? TOKEN_ERRORS[answer.status] : undefined;
  if (error === undefined) return answer;
  return { ...answer, headers: { 'www-authenticate': `Bearer error="${error}"`, ...answer.headers } };
}

/** The first piece is made before the answer begins, so that its failure is an ordinary error. A HEAD asks for none. */
async function started(answer: WireAnswer, { isHead = false }: ReceivedCall): Promise<WireAnswer> {
  const { pieces } = answer;
  if (!pieces || isHead) return answer;
  const made = [await pieces.next()];
  return {
    ...answer,
    pieces: { next: async () => made.pop() ?? pieces.next(), return: () => pieces.return() },
  };
}

function record(
  op: Operation,
  { caller }: ReceivedCall,
  { answer, failure, startedAt }: { answer: WireAnswer; failure: unknown; startedAt: number },
): void {
  const durationMs = performance.now() - startedAt;
  const status = isTestRefusal(answer) ? TEST_REFUSAL_STATUS : answer.status;
  operationDuration.observe({ operation: op.name, status }, durationMs / 1000);
  const line = {
    operation: op.name,
    status: answer.status,
    duration_ms: Math.round(durationMs * 100) / 100,
    request_id: caller.requestId,
    org_id: caller.orgId,
    actor_id: caller.actorId,
    ...(REPLAYED_HEADER in answer.headers && { replayed: true }),
  };
  if (isFailure(answer)) log.error({ ...line, ...errorFields(failure) }, 'operation failed');
  else log.info(failure instanceof Refused ? { ...line, refused: failure.code } : line, 'operation');
}

function isFailure(answer: WireAnswer): boolean {
  return answer.status >= 500 && !isTestRefusal(answer);
}

function isTestRefusal({ headers }: WireAnswer): boolean {
  return TEST_REFUSAL_HEADER in headers;
}

/**
 * After the deadline an external caller gets a 503. The work may still take effect, and its idempotency key (`around`)
 * is held until it ends.
 */
async function inTime(
  op: Operation,
  work: Promise<WireAnswer>,
  { caller, answerWithinMs = ANSWER_WITHIN_MS }: ReceivedCall,
  onLate: (failure: unknown) => void,
): Promise<WireAnswer> {
  if (op.access === 'internal') return work;
  const late = (): WireAnswer => {
    const failure = new Unreachable(
      'service_unavailable',
      'The service did not finish in time. It may still do so: send the request again in a moment.',
    );
    onLate(failure);
    return refusalOf(op, failure);
  };
  const whenDone = ({ status, pieces }: WireAnswer): void => {
    void pieces?.return();
    const line = { operation: op.name, status, request_id: caller.requestId, answer_ms: answerWithinMs };
    log.warn(line, 'operation ended after its answer');
  };
  return answerByDeadline(work, late, whenDone, answerWithinMs);
}

export function refusalOf(op: Operation, error: unknown): WireAnswer {
  const shown = error instanceof TooSlow && op.narrow !== null ? new TooSlow(error.cause, op.narrow) : error;
  return refusalToWire(op.access === 'connector' ? asConnectorError(shown) : shown);
}

/** The connector's contract has one code for anything unavailable: 502. */
function asConnectorError(error: unknown): unknown {
  const isUnavailable = error instanceof Refused && error.code === 'service_unavailable';
  if (!isUnavailable && !(error instanceof Unreachable)) return error;
  return new Unreachable('core_unreachable', error.message, error);
}

/** Checked again after the edges, so that a mistake there grants nothing. */
function checkAccess(op: Operation, caller: Caller): void {
  if (op.access === 'anyone') return;
  if (op.access === 'internal') {
    if (caller.kind === 'service' || caller.kind === 'platform') return;
  } else if (op.access === 'connector') {
    if (caller.kind === 'integration') return;
  } else if (caller.kind === 'platform' || hasRight(op, caller)) {
    return;
  }
  const needed = accessOf(op, caller.kind === 'staff');
  throw new Refused('insufficient_scope', `This operation needs the scope ${needed}.`);
}

function hasRight(op: Operation, { kind, scopes }: Caller): boolean {
  if (op.access === 'session') return kind === 'staff';
  const mayCall = kind === 'staff' || (kind === 'key' && !op.consoleOnly);
  const needed = accessOf(op, kind === 'staff');
  return mayCall && scopes.some((scope) => scope === needed);
}

/** A precondition is never ignored: its caller relies on it. Throws `Refused` (invalid_request). */
export function checkPreconditions(
  op: Pick<Operation, 'hasEntityTag' | 'method'>,
  headers: { 'if-match'?: string; 'if-none-match'?: string },
): void {
  const sent = { 'If-Match': headers['if-match'], 'If-None-Match': headers['if-none-match'] };
  const problems = (['If-Match', 'If-None-Match'] as const)
    .filter((header) => sent[header] !== undefined && !takesPrecondition(op, header))
    .map((field) => ({ field, message: 'is not taken by this operation: leave it out' }));
  if (problems.length > 0) throw invalid(problems);
}

function buildCall(
  op: Operation,
  received: ReceivedCall,
  startedAt: number,
  keyRun?: KeyRun,
): Call<Operation> {
  const { params, headers, opened, answerWithinMs = ANSWER_WITHIN_MS } = received;
  const { begunAtMs = Infinity } = received.caller;
  const inServiceMs = performance.now() - startedAt;
  const caller = { ...received.caller, begunAtMs: Math.min(begunAtMs, Date.now() - inServiceMs) };
  const answerByMs = startedAt + answerWithinMs;
  const query = checkedQuery(op, received.queryString);
  if (!op.body) {
    checkEmpty(received.body);
    return { caller, params, query, headers, keyRun, answerByMs, body: {} };
  }
  // A missing body counts as {}, so that the answer names the required fields.
  const plain = opened
    ? opened.plain
    : received.body.length === 0
      ? {}
      : parseStrictJson(received.body, op.maxBodyValues ?? MAX_JSON_VALUES);
  return {
    caller,
    params,
    query,
    headers,
    keyRun,
    answerByMs,
    body: validate(op.body, plain, { keepUnknown: op.keepsUnknownKeys }),
    documents: opened?.documents,
  };
}

/** Accepts no body or `{}`. */
function checkEmpty(body: Uint8Array): void {
  if (body.length === 0) return;
  const plain: unknown = parseStrictJson(body);
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain))
    throw invalid([{ field: 'body', message: 'must be left out or {}' }]);
  const message = 'is not a known field: this operation takes none';
  const unknown = Object.keys(plain).map((field) => ({ field: truncateName(field), message }));
  if (unknown.length > 0) throw invalid(unknown.slice(0, MAX_PROBLEMS));
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** 304 without a body for a matching If-None-Match. */
function unlessKnown(op: Operation, { headers }: ReceivedCall, answer: Answer<unknown>): Answer<unknown> {
  const { etag } = answer.headers;
  const sent = headers['if-none-match'];
  if (op.method !== 'GET' || sent === undefined || etag === undefined) return answer;
  const known = readEntityTags(sent);
  if (!known) throw invalid([{ field: 'If-None-Match', message: MALFORMED_TAGS }]);
  return matchesWeakly(known, etag) ? { status: 304, content: null, headers: answer.headers } : answer;
}

export function toWire(answer: Answer<unknown>): WireAnswer {
  const { status, content } = answer;
  const headers = { ...answer.headers };
  if (!content) return { status, headers, body: '' };
  if (content.kind === 'bytes') return { status, headers, body: content.bytes };
  if (content.kind === 'pieces') return { status, headers, body: '', pieces: content.pieces };
  headers['content-type'] = JSON_TYPE;
  return { status, headers, body: content.kind === 'json' ? content.text : JSON.stringify(content.value) };
}

export function refusalToWire(error: unknown): WireAnswer {
  const { status, body, headers } = errorAnswer(error);
  return { status, headers: { ...headers, 'content-type': JSON_TYPE }, body: JSON.stringify(body) };
}

export function callHeaders(read: (name: string) => string | undefined): ReceivedCall['headers'] {
  const headers: Partial<Record<CallHeader, string>> = {};
  for (const name of CALL_HEADERS) {
    const value = read(name);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

/** Per operation; a full cache is cleared. */
const MAX_KNOWN_QUERIES = 200;
/** Longer ones contain search texts and rarely repeat. */
const MAX_KNOWN_LENGTH = 200;
const knownQueries = new WeakMap<Operation, Map<string, object>>();

/** Lists are called with few distinct query strings, so results are cached, frozen. */
function checkedQuery(op: Operation, queryString: string): object {
  let known = knownQueries.get(op);
  if (!known) knownQueries.set(op, (known = new Map<string, object>()));
  const present = known.get(queryString);
  if (present) return present;
  const query = Object.freeze(validateQuery(op.query, queryString));
  if (queryString.length > MAX_KNOWN_LENGTH) return query;
  if (known.size >= MAX_KNOWN_QUERIES) known.clear();
  known.set(queryString, query);
  return query;
}

/**
 * Earlier than the edges' deadline for order-core (core-proxy.ts), so that they pass this answer on. Source:
 * guarantees.md G11.
 */
export const ANSWER_WITHIN_MS = 4_500;

/** After the deadline `late` answers; the work continues, because it cannot be undone, and `whenDone` receives its answer. */
export function answerByDeadline<Answer>(
  work: Promise<Answer>,
  late: () => Answer,
  whenDone: (answer: Answer) => void = () => undefined,
  withinMs = ANSWER_WITHIN_MS,
): Promise<Answer> {
  return new Promise((resolve) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      resolve(late());
    }, withinMs);
    work.then(
      (answer) => {
        clearTimeout(timer);
        if (isLate) whenDone(answer);
        else resolve(answer);
      },
      // Rejects with the work's error; no effect after the late answer.
      () => {
        clearTimeout(timer);
        resolve(work);
      },
    );
  });
}
