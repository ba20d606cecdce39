import type { Caller } from './caller';
import type { ErrorCode } from './error-table';
import type { StaffScope } from '../people/scopes';

/**
 * The single definition of an operation: gateway route, service handler, validation, OpenAPI description and typed
 * client derive from it. `via` is the transport. `bus` is NATS request/reply: bodies of up to 1 MiB, replies of up
 * to MAX_REPLY_BYTES. `http` streams larger bodies and replies through order-core's internal port.
 */
export interface Operation<
  Path extends string = string,
  Query extends object = object,
  Body extends object = object,
  Reply = unknown,
  Method extends HttpMethod = HttpMethod,
> {
  /** `<noun>.<verb>`: operation id, metric label and tail of the subject. */
  readonly name: string;
  readonly summary: string;
  readonly service: ServiceName;
  readonly via: 'bus' | 'http';
  /**
   * Calls of this `http` operation travel over the bus when they are small, because the bus packs several into one
   * message (decision 0007). A GET whose reply fits no message is repeated over HTTP; other replies always fit.
   */
  readonly smallOverBus: boolean;
  /**
   * Who may call: one scope of a token or of a person's role, a connector key, a person with any role (`session`),
   * anyone, or only the operator and our own processes.
   */
  readonly access: StaffScope | 'connector' | 'session' | 'anyone' | 'internal';
  /** The scope that a person's role needs, where it is not that of a token; null where it is the same. */
  readonly roleScope: StaffScope | null;
  /** Behind the console's door only: no token of an API key is accepted, and the published description omits it. */
  readonly consoleOnly: boolean;
  readonly method: Method;
  /** Path with `{params}`; empty for internal operations. */
  readonly path: Path;
  readonly query: DtoClass<Query> | null;
  readonly body: DtoClass<Body> | null;
  /** A person must have confirmed by password or passkey lately. order-core checks its own changes in their transactions. */
  readonly needsConfirmation: boolean;
  /** The service asks for one for some bodies only. */
  readonly mayNeedConfirmation: boolean;
  /** Unknown keys of the body are accepted, not refused. */
  readonly keepsUnknownKeys: boolean;
  /** Class of the JSON reply, or the media type of a reply that is not JSON, or null when there is none. */
  readonly reply: DtoClass<Reply & object> | string | null;
  /** Class of the reply of a 202, which only people get; null when there is no such answer. */
  readonly waitingReply: DtoClass<object> | null;
  /** The reply is also available as `text/csv`, by Accept. */
  readonly alsoCsv: boolean;
  /** Answers carry an ETag, and calls take preconditions (takesPrecondition). */
  readonly hasEntityTag: boolean;
  /** Advice after a database timeout: how to narrow the request; null when it cannot be narrowed. */
  readonly narrow: string | null;
  /** Error codes of its own rules, beyond those that follow from this definition (responses.ts). */
  readonly refuses: readonly ErrorCode[];
  /** Success statuses, the usual one first. */
  readonly statuses: readonly number[];
  /** Paths in the body of base64 PDFs; `*` is each member of a list. */
  readonly documentFields: DocumentFields;
  /** Limit of values in the body, not counting keys; null for the general limit of strict-json.ts. */
  readonly maxBodyValues: number | null;
  /** Largest accepted request body. See docs/contract.md#sizes */
  readonly maxBodyBytes: number;
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type ServiceName = 'gateway' | 'connector-edge' | 'order-core' | 'catalog' | 'webhook-worker';
export type DtoClass<T> = new () => T;

export const MAX_BODY_BYTES = 1024 * 1024;
/**
 * Longest reply over the bus: the broker's 2 MiB (`max_payload` in deploy/nats) less the headers.
 * reply-size.spec.ts proves that every reply fits.
 */
export const MAX_REPLY_BYTES = 2_000_000;
/** Order requests and prescription ingest carry a PDF in base64. */
export const MAX_DOCUMENT_BODY_BYTES = 15 * 1024 * 1024;

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

/** Validated input of a handler. */
export interface Call<O> {
  caller: Caller;
  params: O extends Operation<infer Path> ? Record<ParamNames<Path>, string> : never;
  query: O extends Operation<string, infer Query> ? Query : never;
  body: O extends Operation<string, object, infer Body> ? Body : never;
  /** Lower-case request headers that take part in the contract (CALL_HEADERS). */
  headers: Readonly<Partial<Record<CallHeader, string>>>;
  /** Only under an Idempotency-Key: the answer is stored under it (libs/idempotency/stored-answer.ts). */
  keyRun?: KeyRun | undefined;
  /** By performance.now(): then the caller is answered that the service is late. */
  answerByMs?: number;
  /** The values at `documentFields`, if the body was large and therefore parsed in a worker thread. */
  documents?: HandedInDocuments | undefined;
}

/** One run of a request under an Idempotency-Key; after a crash the request may run again. */
export interface KeyRun {
  readonly orgId: string;
  readonly key: string;
  /** Unique per run under the key. */
  readonly leaseToken: string;
}

/** A document extracted from a body: its bytes and their SHA-256, or the reason why it is invalid. */
export type HandedInDocument =
  { ok: true; bytes: Buffer; sha256: Buffer } | { ok: false; message: string; tooLarge?: boolean };

export type DocumentFields = readonly (readonly string[])[];
/** By the name that a problem gives their field, such as `payload.documents[0].pdf_base64`. */
export type HandedInDocuments = ReadonlyMap<string, HandedInDocument>;

export const CALL_HEADERS = ['if-match', 'if-none-match', 'idempotency-key', 'accept'] as const;
export type CallHeader = (typeof CALL_HEADERS)[number];

/**
 * Result of a handler. `json` is JSON text from PostgreSQL, `bytes` a document. `pieces` is a text of any length, over
 * HTTP only; a reader that stops early calls `return`.
 */
export interface Answer<Reply> {
  status: number;
  content:
    | { kind: 'value'; value: Reply }
    | { kind: 'json'; text: string }
    | { kind: 'bytes'; bytes: Buffer }
    | { kind: 'pieces'; pieces: Pieces }
    | null;
  headers: Record<string, string>;
  /**
   * Not sent. What the call found, where the answer does not say it: `same` is there already, and nothing changed;
   * `question` was open, and the call answered it.
   */
  found?: 'same' | 'question' | undefined;
}
export type Pieces = Required<Pick<AsyncIterator<string, undefined>, 'next' | 'return'>>;
export type ReplyOf<O> = O extends Operation<string, object, object, infer Reply> ? Reply : never;

export function ok<Reply>(value: Reply, headers: Record<string, string> = {}): Answer<Reply> {
  return { status: 200, content: { kind: 'value', value }, headers };
}

export function created<Reply>(value: Reply, headers: Record<string, string> = {}): Answer<Reply> {
  return { status: 201, content: { kind: 'value', value }, headers };
}

/** A reply whose JSON text comes from the database unchanged. */
export function okJson<Reply>(
  text: string,
  status = 200,
  headers: Record<string, string> = {},
): Answer<Reply> {
  return { status, content: { kind: 'json', text }, headers };
}

export function okBytes(bytes: Buffer, headers: Record<string, string>): Answer<never> {
  return { status: 200, content: { kind: 'bytes', bytes }, headers };
}

export function okPieces(pieces: Pieces, headers: Record<string, string>): Answer<never> {
  return { status: 200, content: { kind: 'pieces', pieces }, headers };
}

export function noContent(): Answer<never> {
  return { status: 204, content: null, headers: {} };
}

type Definition<
  Path extends string,
  Query extends object,
  Body extends object,
  Reply extends object,
  Method extends HttpMethod,
> = Pick<Operation, 'name' | 'summary' | 'access'> & {
  /** Default: order-core. */
  service?: ServiceName;
  /** Default: GET. */
  method?: Method;
  path: Path;
  roleScope?: StaffScope;
  via?: Operation['via'];
  smallOverBus?: boolean;
  query?: DtoClass<Query>;
  body?: DtoClass<Body>;
  needsConfirmation?: boolean;
  mayNeedConfirmation?: boolean;
  keepsUnknownKeys?: boolean;
  reply?: DtoClass<Reply> | string;
  waitingReply?: DtoClass<object>;
  alsoCsv?: boolean;
  hasEntityTag?: boolean;
  narrow?: string;
  refuses?: readonly ErrorCode[];
  documentFields?: DocumentFields;
  statuses?: readonly number[];
  maxBodyBytes?: number;
  maxBodyValues?: number;
};

/** Status of an answer without content: the reply fits no message, so the caller repeats its GET over HTTP. */
export const REPLY_OVER_HTTP = 0;

/** Defines an operation of the public HTTP interface. */
export function operation<
  Path extends string,
  Method extends HttpMethod = 'GET',
  Query extends object = NoFields,
  Body extends object = NoFields,
  Reply extends object = NoFields,
>(definition: Definition<Path, Query, Body, Reply, Method>): Operation<Path, Query, Body, Reply, Method> {
  return {
    via: 'bus',
    smallOverBus: false,
    roleScope: null,
    consoleOnly: false,
    needsConfirmation: false,
    mayNeedConfirmation: false,
    keepsUnknownKeys: false,
    alsoCsv: false,
    hasEntityTag: false,
    narrow: null,
    waitingReply: null,
    maxBodyValues: null,
    refuses: [],
    documentFields: [],
    statuses: [200],
    maxBodyBytes: definition.via === 'http' ? MAX_DOCUMENT_BODY_BYTES : MAX_BODY_BYTES,
    service: 'order-core',
    ...definition,
    method: (definition.method ?? 'GET') as Method,
    query: definition.query ?? null,
    body: definition.body ?? null,
    reply: definition.reply ?? null,
  };
}

/** What a caller must have: a scope of the role for a person, else of the token. */
export function accessOf(
  op: Pick<Operation, 'access' | 'roleScope'>,
  isPerson: boolean,
): Operation['access'] {
  return (isPerson ? op.roleScope : null) ?? op.access;
}

/**
 * Only of operations with an ETag: If-Match of every change; If-None-Match of a GET (304), and of a POST as `*` (412 where
 * the object exists). Elsewhere the header is refused.
 */
export function takesPrecondition(
  { hasEntityTag, method }: Pick<Operation, 'hasEntityTag' | 'method'>,
  header: 'If-Match' | 'If-None-Match',
): boolean {
  if (!hasEntityTag) return false;
  return header === 'If-Match' ? method !== 'GET' : method === 'GET' || method === 'POST';
}

/** Defines an operation that only people in the console call. */
export function consoleOperation<
  Path extends string,
  Method extends HttpMethod = 'GET',
  Query extends object = NoFields,
  Body extends object = NoFields,
  Reply extends object = NoFields,
>(definition: Definition<Path, Query, Body, Reply, Method>): Operation<Path, Query, Body, Reply, Method> {
  return { ...operation(definition), consoleOnly: true };
}

/** Defines an operation between our own processes, or for the operator's command line: bus only, no route. */
export function internalOperation<Body extends object, Reply extends object>(definition: {
  name: string;
  summary: string;
  service?: ServiceName;
  body: DtoClass<Body>;
  reply: DtoClass<Reply>;
  narrow?: string;
}): Operation<'', NoFields, Body, Reply> {
  return operation({ ...definition, access: 'internal', method: 'POST', path: '' });
}

export type NoFields = object;

/** The NATS subject on which the owning service answers an operation. */
export function subjectOf(op: Pick<Operation, 'service' | 'name'>): string {
  return `rpc.${op.service}.${op.name}`;
}
