import type { Caller } from './caller';
import type { ErrorCode } from './error-table';
import type { Scope } from './scopes';

/**
 * One operation, one definition: gateway route, service handler, validation, OpenAPI description and typed client
 * are all derived from the object made here. `via` says how the call travels. `bus` is NATS request/reply: bodies of up to
 * 1 MiB, replies of up to MAX_REPLY_BYTES. `http` is streamed to order-core's internal port because it may be larger.
 */
export interface Operation<
  Path extends string = string,
  Query extends object = object,
  Body extends object = object,
  Reply = unknown,
> {
  /** `<noun>.<verb>`: operation id, metric label and tail of the subject. */
  readonly name: string;
  readonly summary: string;
  readonly service: ServiceName;
  readonly via: 'bus' | 'http';
  /** Who may call: one scope of a token, a connector key, anyone, or only the operator and our own processes. */
  readonly access: Scope | 'connector' | 'anyone' | 'internal';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with `{params}`; empty for internal operations. */
  readonly path: Path;
  readonly query: DtoClass<Query> | null;
  readonly body: DtoClass<Body> | null;
  /** Keys of the body that its class does not name are passed on, not refused. */
  readonly keepsUnknownKeys: boolean;
  /** Class of the JSON reply, or the media type of a reply that is not JSON, or null when there is none. */
  readonly reply: DtoClass<Reply & object> | string | null;
  /** The reply is also to be had as `text/csv`, by Accept. */
  readonly alsoCsv: boolean;
  /** Answers carry an ETag. A GET honours If-None-Match; PUT and PATCH honour If-Match. */
  readonly hasEntityTag: boolean;
  /** What a caller should narrow when the request took the database too long; null where nothing can be narrowed. */
  readonly narrow: string | null;
  /** Codes that its own rules refuse with, beyond what follows from this definition (refusals.ts). */
  readonly refuses: readonly ErrorCode[];
  /** Success statuses, the usual one first. */
  readonly statuses: readonly number[];
  /** Where in the body a PDF stands in base64; null where none does. */
  readonly documentField: readonly string[] | null;
  /** Values that a body may hold, keys not counted; null leaves it at the general limit (runtime/strict-json.ts). */
  readonly maxBodyValues: number | null;
  /** Largest accepted request body. Source of the figures: decisions.md section 1. */
  readonly maxBodyBytes: number;
}

export type ServiceName = 'gateway' | 'order-core' | 'catalog' | 'webhook-worker';
export type DtoClass<T> = new () => T;

export const MAX_BODY_BYTES = 1024 * 1024;
/**
 * Longest reply of an operation that travels over the bus. The broker takes messages of 2 MiB (`max_payload` in
 * deploy/nats); the rest is for the answer's headers. reply-size.spec.ts computes that every reply fits.
 */
export const MAX_REPLY_BYTES = 2_000_000;
/** Order requests and prescription ingest carry a PDF in base64. */
export const MAX_DOCUMENT_BODY_BYTES = 15 * 1024 * 1024;

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never;

/** What a handler gets: all of it checked, nothing else passed on. */
export interface Call<O> {
  caller: Caller;
  params: O extends Operation<infer Path> ? Record<ParamNames<Path>, string> : never;
  query: O extends Operation<string, infer Query> ? Query : never;
  body: O extends Operation<string, object, infer Body> ? Body : never;
  /** Lower-case request headers that take part in the contract (CALL_HEADERS). */
  headers: Readonly<Partial<Record<CallHeader, string>>>;
  /** Only under an Idempotency-Key. What changes something keeps its answer by it (libs/idempotency/stored-answer.ts). */
  keyRun?: KeyRun | undefined;
  /** What stood at `documentField`, where the body was so large that it was opened beside the event loop. */
  document?: HandedInDocument | null;
}

/** One run of a request under an Idempotency-Key; a request whose first run died may have several. */
export interface KeyRun {
  readonly orgId: string;
  readonly key: string;
  /** Tells this run from every other one under the key. */
  readonly leaseToken: string;
}

/** A document that was taken out of a body: its bytes, or why it is none. */
export type HandedInDocument = {
  /** Of the base64 as it came: the same text is the same document. */
  textSha256: string;
} & ({ ok: true; bytes: Buffer } | { ok: false; message: string; tooLarge?: boolean });

export const CALL_HEADERS = ['if-match', 'if-none-match', 'idempotency-key', 'accept'] as const;
export type CallHeader = (typeof CALL_HEADERS)[number];

/** What a handler gives back. `json` is text that PostgreSQL made; `bytes` a document. */
export interface Answer<Reply> {
  status: number;
  content:
    | { kind: 'value'; value: Reply }
    | { kind: 'json'; text: string }
    | { kind: 'bytes'; bytes: Buffer }
    | null;
  headers: Record<string, string>;
}
export type ReplyOf<O> = O extends Operation<string, object, object, infer Reply> ? Reply : never;

export function ok<Reply>(value: Reply, headers: Record<string, string> = {}): Answer<Reply> {
  return { status: 200, content: { kind: 'value', value }, headers };
}

export function created<Reply>(value: Reply, headers: Record<string, string> = {}): Answer<Reply> {
  return { status: 201, content: { kind: 'value', value }, headers };
}

/** The reply as JSON text that the database made, passed on as it is. */
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

export function noContent(): Answer<never> {
  return { status: 204, content: null, headers: {} };
}

type Definition<Path extends string, Query extends object, Body extends object, Reply extends object> = Pick<
  Operation,
  'name' | 'summary' | 'service' | 'access'
> & {
  method: Operation['method'];
  path: Path;
  via?: Operation['via'];
  query?: DtoClass<Query>;
  body?: DtoClass<Body>;
  keepsUnknownKeys?: boolean;
  reply?: DtoClass<Reply> | string;
  alsoCsv?: boolean;
  hasEntityTag?: boolean;
  narrow?: string;
  refuses?: readonly ErrorCode[];
  documentField?: readonly string[];
  statuses?: readonly number[];
  maxBodyBytes?: number;
  maxBodyValues?: number;
};

/** Defines an operation of the public HTTP interface. */
export function operation<
  Path extends string,
  Query extends object = NoFields,
  Body extends object = NoFields,
  Reply extends object = NoFields,
>(definition: Definition<Path, Query, Body, Reply>): Operation<Path, Query, Body, Reply> {
  return {
    via: 'bus',
    keepsUnknownKeys: false,
    alsoCsv: false,
    hasEntityTag: false,
    narrow: null,
    maxBodyValues: null,
    refuses: [],
    statuses: [200],
    maxBodyBytes: definition.via === 'http' ? MAX_DOCUMENT_BODY_BYTES : MAX_BODY_BYTES,
    ...definition,
    query: definition.query ?? null,
    body: definition.body ?? null,
    reply: definition.reply ?? null,
    documentField: definition.documentField ?? null,
  };
}

/** Defines an operation between our own processes, or for the operator's command line: bus only, no route. */
export function internalOperation<Body extends object, Reply extends object>(definition: {
  name: string;
  summary: string;
  service: ServiceName;
  body: DtoClass<Body>;
  reply: DtoClass<Reply>;
}): Operation<'', NoFields, Body, Reply> {
  return operation({ ...definition, access: 'internal', method: 'POST', path: '' });
}

export type NoFields = object;

/** The NATS subject on which the owning service answers an operation. */
export function subjectOf(op: Pick<Operation, 'service' | 'name'>): string {
  return `rpc.${op.service}.${op.name}`;
}
