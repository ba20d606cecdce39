import type { components, paths } from '../../../clients/typescript/src/generated/console-api';

/** What the description of the console's door (docs/openapi/console-api.yaml) says about a call, for the compiler. */

export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The generated types have each method in small letters; one that a path lacks is `never`. */
type Described<Path extends keyof paths, M extends Method> =
  paths[Path] extends Record<Lowercase<M>, infer Operation> ? Operation : never;

/** The paths that have this method. */
export type PathOf<M extends Method> = {
  [Path in keyof paths]: [Described<Path, M>] extends [never] ? never : Path;
}[keyof paths];

/** The paths whose answer is a document. */
export type DocumentPath = {
  [Path in keyof paths]: Described<Path, 'GET'> extends Answering<{ 'application/pdf': unknown }>
    ? Path
    : never;
}[keyof paths];

/** Parameters and body: required where the description requires them. */
export type InputOf<M extends Method, Path extends keyof paths> = ParametersOf<Described<Path, M>> &
  BodyOf<Described<Path, M>>;

type ParametersOf<Operation> = Operation extends { parameters: infer All }
  ? Pick<All, keyof All & ('path' | 'query' | 'header')>
  : never;

interface Json<Content> {
  content: { 'application/json': Content };
}

type BodyOf<Operation> = Operation extends { requestBody: Json<infer Body> }
  ? { body: Body }
  : Operation extends { requestBody?: never }
    ? { body?: never }
    : Operation extends { requestBody?: Json<infer Body> }
      ? { body?: Body }
      : never;

interface Answering<Content> {
  responses: { 200: { content: Content } };
}

/** The JSON of the success; `undefined` of one without a body. */
export type ReplyOf<M extends Method, Path extends keyof paths> =
  Described<Path, M> extends { responses: infer Answers }
    ? Answers extends { 200: Json<infer Reply> }
      ? Reply
      : Answers extends { 201: Json<infer Reply> }
        ? Reply
        : undefined
    : never;

/** The last argument of a call: it may be left out when the description requires nothing in it. */
export type InputArgument<Input> = object extends Input ? [input?: Input] : [input: Input];
