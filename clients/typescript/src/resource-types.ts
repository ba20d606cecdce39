import type { Items } from './items';
import type { components, operations, paths } from './generated/api';
import type { WebhookEvent } from './verify-webhook';

/** What every call may be given beside its input. */
export interface CallOptions {
  /** Ends the call immediately; it rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Longest time of the call in ms, retries included; for a list, of each page. */
  timeoutMs?: number | undefined;
  /** Of a POST, instead of a new one: for a call that is repeated after a restart of the program. */
  idempotencyKey?: string | undefined;
  /** The `etag` of the object as it was read: `PreconditionFailed` when it has changed since. */
  ifMatch?: string | undefined;
  /** Status and headers of the answer. */
  onResponse?: ((answer: { status: number; headers: Headers }) => void) | undefined;
}

/**
 * The operations that an API key calls. Tokens are exchanged by themselves; `OffizinConnector` has those of a partner.
 */
export type ResourceOperation = Exclude<
  keyof operations,
  `receive.${string}` | `tokens.${string}` | `${string}-external`
>;

/** The methods by noun: `resources.orders.list(…)`. */
export type Resources = OperationResources & { readonly orders: OrderFinding };

/** A method for each operation. */
export type OperationResources = {
  readonly [Id in ResourceOperation as CamelCase<NounOf<Id>>]: ResourceOf<NounOf<Id>>;
};

export interface OrderFinding {
  /** The order with this id of your system, in this shop. Throws `NotFound`. */
  find: (
    externalId: string,
    shopId: string,
    options?: CallOptions,
  ) => ReturnType<ResourceOf<'orders'>['get']>;
}

/** Over the keys of `operations` itself, so that an editor finds the operation of a method. */
type ResourceOf<Noun extends string> = {
  readonly [
    Id in keyof operations as Id extends ResourceOperation & `${Noun}.${infer Action}`
      ? CamelCase<Action>
      : never
  ]: Method<operations[Id]>;
};

type NounOf<Id> = Id extends `${infer Noun}.${string}` ? Noun : never;

export type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/**
 * Id if the path has one, and the number of a document or the id of a parcel, then body or query, then the options. A list comes as its
 * items, a document as its bytes.
 */
type Method<Operation> =
  AnswerOf<Operation> extends infer Page extends ListPage
    ? (...args: Arguments<Operation>) => Items<Page['data'][number], Page>
    : (...args: Arguments<Operation>) => Promise<AnswerOf<Operation> & EtagOf<Operation>>;

interface ListPage {
  data: unknown[];
  pagination: object;
}

type Arguments<Operation> = [
  ...([IdOf<Operation>] extends [never]
    ? []
    : 'number' extends IdOf<Operation>
      ? [id: string, number: string | number]
      : 'parcelId' extends IdOf<Operation>
        ? [id: string, parcelId: string]
        : [id: string]),
  ...InputOf<Operation>,
  options?: OptionsOf<Operation>,
];

type IdOf<Operation> = Operation extends { parameters: { path: infer Path } }
  ? Exclude<keyof Path, 'orgId'>
  : never;

type InputOf<Operation> = [BodyOf<Operation>] extends [never]
  ? [QueryOf<Operation>] extends [never]
    ? []
    : Operation extends { parameters: { query: object } }
      ? [query: QueryOf<Operation>]
      : [query?: QueryOf<Operation>]
  : Operation extends { requestBody: object }
    ? [body: BodyOf<Operation>]
    : [body?: BodyOf<Operation>];

/** An operation with a body takes its query, if it has one, in the options. */
type OptionsOf<Operation> = [BodyOf<Operation>] extends [never]
  ? CallOptions
  : [QueryOf<Operation>] extends [never]
    ? CallOptions
    : CallOptions & { query?: QueryOf<Operation> };

type QueryOf<Operation> = Operation extends { parameters: { query?: infer Query } }
  ? Exclude<Query, undefined>
  : never;

type BodyOf<Operation> = Operation extends { requestBody?: infer Body } ? JsonOf<Body> : never;

/**
 * Distributes over the union with undefined of a body that may be left out, so that no body at all is never, as is
 * `{}`.
 */
type JsonOf<Body> = Body extends { content: { 'application/json': infer Json } }
  ? Json extends Record<string, never>
    ? never
    : Json
  : never;

type AnswerOf<Operation> = Operation extends { responses: infer Responses }
  ? ContentOf<Responses[keyof Responses & (200 | 201 | 204)]>
  : never;

/** The version of an object, for `ifMatch`. It is not enumerable. */
type EtagOf<Operation> = Operation extends { responses: infer Responses }
  ? Responses[keyof Responses & (200 | 201)] extends { headers: { ETag: string } }
    ? { readonly etag: string }
    : unknown
  : unknown;

type ContentOf<Response> = Response extends { content: { 'application/json': infer Json } }
  ? Json extends components['schemas']['EventFeedResponse']
    ? Omit<Json, 'data'> & { data: WebhookEvent[] }
    : Json
  : Response extends { content: { 'application/pdf': unknown } }
    ? Uint8Array
    : undefined;

/** The words of an operation in the table of routes. */
export type RouteOf<Id extends ResourceOperation> =
  AnswerOf<operations[Id]> extends ListPage
    ? `${'after' extends keyof QueryOf<operations[Id]> ? 'FEED' : 'LIST'} ${PublicPath}`
    : `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} ${PublicPath}${InputWord<operations[Id]>}`;

type InputWord<Operation> = [BodyOf<Operation>] extends [never]
  ? [QueryOf<Operation>] extends [never]
    ? ''
    : ' query'
  : ' body';

type PublicPath = keyof paths extends infer Path
  ? Path extends `/api/v2/public${infer Rest}`
    ? Rest
    : never
  : never;
