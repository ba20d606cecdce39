import type { Call, HttpMethod, ReplyOf as Reply } from '@offizin/contracts/calls/operation';
import type { consoleDoorOperations } from '@offizin/contracts/operations';

/**
 * Types of the console's calls, from the operations of libs/contracts. Only their types travel: an operation as a value
 * would bring the validation of its classes into the browser. Answers are JSON of the same fields: DTO classes hold
 * JSON types only, a time is a string.
 */

type Door = (typeof consoleDoorOperations)[number];
type Called<M extends HttpMethod, Path extends string> = Extract<Door, { method: M; path: Path }>;

/** The paths that have this method. */
export type PathOf<M extends HttpMethod> = Extract<Door, { method: M }>['path'];

/** The paths whose answer is a document. */
export type DocumentPath = Extract<PathOf<'GET'>, `${string}.pdf`>;

/** Parameters and body: required where the operation requires them. The organization is that of the session. */
export type InputOf<M extends HttpMethod, Path extends string> = Part<
  'path',
  Record<Exclude<keyof Call<Called<M, Path>>['params'], 'orgId'>, string>
> &
  Part<'query', WithDefaults<Call<Called<M, Path>>['query']>> &
  Part<'body', Call<Called<M, Path>>['body']> & {
    header?: { 'If-Match'?: string; 'Idempotency-Key'?: string };
  };

type Part<Name extends string, Fields> = [keyof Fields] extends [never]
  ? { [N in Name]?: never }
  : object extends Fields
    ? { [N in Name]?: Fields }
    : { [N in Name]: Fields };

/** Query fields with an initializer: a handler always has them, a call may leave them out. */
type Defaulted = 'limit' | 'offset' | 'sort' | 'tab' | 'include_revoked';
type WithDefaults<Query> = Partial<Pick<Query, keyof Query & Defaulted>> & Omit<Query, Defaulted>;

/** The JSON of the success; `undefined` of one without a body. */
export type ReplyOf<M extends HttpMethod, Path extends string> =
  Reply<Called<M, Path>> extends infer R ? ([keyof R] extends [never] ? undefined : R) : never;

/** The last argument of a call: it may be left out when the operation requires nothing in it. */
export type InputArgument<Input> = object extends Input ? [input?: Input] : [input: Input];
