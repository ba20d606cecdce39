import createClient, { type Client } from 'openapi-fetch';
import { AccessToken } from './access-token';
import { errorOf, OffizinError } from './errors';
import type { components, paths } from './generated/api';
import { type RetryOptions, sendWithRetries } from './retrying-fetch';

/**
 * The organization API, typed from the published OpenAPI description. `offizin.api` has one method per HTTP method,
 * whose paths, parameters and bodies the compiler knows; tokens, safe retries and idempotency keys are taken care of.
 */
export interface OffizinOptions {
  /** Address of the gateway, without a slash at the end. */
  baseUrl: string;
  /** An organization API key (`ofz_org_…`). */
  apiKey: string;
  /** Narrows the token to these scopes; left out, it has all of the key's. */
  scopes?: readonly string[];
  retries?: Partial<RetryOptions>;
  /** Instead of the global one, for tests and proxies. */
  fetch?: typeof fetch;
}

/** When an answer has several media types, `data` is the JSON; request others with `parseAs` and `Accept`. */
type JsonMedia = 'application/json';

export class Offizin {
  /** Results are `{data, error, response}`; `value` turns an error into an exception. */
  readonly api: Client<paths, JsonMedia>;
  private readonly token: AccessToken;

  constructor({ baseUrl, apiKey, scopes, retries, fetch: send = fetch }: OffizinOptions) {
    const token = new AccessToken({ baseUrl, apiKey, scope: scopes?.join(' '), fetch: send });
    this.token = token;
    const options = { maxRetries: 4, maxWaitMs: 30_000, ...retries };
    this.api = createClient<paths, JsonMedia>({
      baseUrl,
      fetch: (request) => sendWithRetries(request, token, send, options),
    });
  }

  /** The organization of the API key: `{orgId}` of every path. */
  async organizationId(): Promise<string> {
    return this.token.organizationId();
  }
}

/** What a refusal is thrown as, and the types of the bodies: `components['schemas']['OrderDetail']`. */
export { OffizinError };
export type { components };

/** The data of a result; throws `OffizinError` when the server refused. */
export function value<Data>(result: { data?: Data; error?: unknown; response: Response }): Data {
  if (result.response.ok) return result.data as Data;
  throw errorOf(result.response, result.error);
}

interface CursorPage<Item> {
  data: Item[];
  pagination: { next_cursor: string | null };
}

/**
 * Every item of a list, page after page by cursor, so that rows which come or go meanwhile shift nothing:
 * `for await (const order of everyItem((cursor) => offizin.api.GET(path, {params: {path, query: {cursor}}})))`.
 */
export async function* everyItem<Item>(
  fetchPage: (
    cursor: string | undefined,
  ) => Promise<{ data?: CursorPage<Item>; error?: unknown; response: Response }>,
): AsyncGenerator<Item> {
  let cursor: string | undefined;
  do {
    const page: CursorPage<Item> = value(await fetchPage(cursor));
    yield* page.data;
    cursor = page.pagination.next_cursor ?? undefined;
  } while (cursor !== undefined);
}
