import createClient, { type Client } from 'openapi-fetch';
import { AccessToken } from './access-token';
import { answerOf, checkedAddress, withIdempotencyKey } from './api-call';
import { type Deadline, withDeadline } from './deadline';
import { errorOf } from './errors';
import type { paths } from './generated/api';
import type { Resources } from './resource-types';
import { resourcesOf } from './resources';
import { Transport, type TransportOptions } from './transport';

/**
 * The organization API, typed from the published OpenAPI description: a method for each operation, by noun. Tokens, safe
 * retries, time-outs and idempotency keys are taken care of.
 */
export interface OffizinOptions extends TransportOptions {
  /** Address of the gateway. */
  baseUrl: string;
  /** An organization API key (`ofz_org_…`). */
  apiKey: string;
  /** Narrows the token to these scopes; left out, it has all of the key's. */
  scopes?: readonly string[];
}

/** When an answer has several media types, `data` is the JSON; request others with `parseAs` and `Accept`. */
type JsonMedia = 'application/json';

export class Offizin implements Resources {
  readonly orders: Resources['orders'];
  readonly lots: Resources['lots'];
  readonly orderRequests: Resources['orderRequests'];
  readonly prescriptions: Resources['prescriptions'];
  readonly customers: Resources['customers'];
  readonly shops: Resources['shops'];
  readonly products: Resources['products'];
  readonly catalog: Resources['catalog'];
  readonly inventory: Resources['inventory'];
  readonly reports: Resources['reports'];
  readonly webhooks: Resources['webhooks'];
  readonly webhookDeliveries: Resources['webhookDeliveries'];
  readonly events: Resources['events'];
  readonly apiKeys: Resources['apiKeys'];
  readonly settings: Resources['settings'];
  readonly auditLog: Resources['auditLog'];

  /**
   * The API by path, for what the methods leave out, such as CSV. Results are `{data, error, response}`; `value` turns an
   * error into an exception.
   */
  readonly api: Client<paths, JsonMedia>;
  // Not `private`: a client that is logged must not show its key.
  readonly #token: AccessToken;
  readonly #transport: Transport;

  constructor({ baseUrl: address, apiKey, scopes, ...options }: OffizinOptions) {
    const baseUrl = checkedAddress('Offizin', ['baseUrl', address], ['apiKey', apiKey]);
    const transport = new Transport(options);
    const credentials = new AccessToken({ baseUrl, apiKey, scope: scopes?.join(' '), transport });
    const server = {
      baseUrl: `${baseUrl}/api/v2/public`,
      transport,
      credentials,
      organizationId: (deadline: Deadline) => credentials.organizationId(deadline),
    };
    this.#transport = transport;
    this.#token = credentials;
    this.api = createClient<paths, JsonMedia>({ baseUrl, fetch: (request) => this.sendRequest(request) });
    ({
      orders: this.orders,
      lots: this.lots,
      orderRequests: this.orderRequests,
      prescriptions: this.prescriptions,
      customers: this.customers,
      shops: this.shops,
      products: this.products,
      catalog: this.catalog,
      inventory: this.inventory,
      reports: this.reports,
      webhooks: this.webhooks,
      webhookDeliveries: this.webhookDeliveries,
      events: this.events,
      apiKeys: this.apiKeys,
      settings: this.settings,
      auditLog: this.auditLog,
    } = resourcesOf((call, given) => answerOf(call, given, server)));
  }

  /** The organization of the API key: `{orgId}` of every path. */
  async organizationId(): Promise<string> {
    return withDeadline(this.#transport.timeoutMs, null, (deadline) => this.#token.organizationId(deadline));
  }

  private async sendRequest(request: Request): Promise<Response> {
    const { method, url, headers, signal } = request;
    const outgoing = { method, url, headers: new Headers(headers) };
    const body = request.body ? { body: await request.arrayBuffer() } : {};
    return withDeadline(this.#transport.timeoutMs, signal, (deadline) =>
      this.#transport.send(withIdempotencyKey({ ...outgoing, ...body }), deadline, this.#token),
    );
  }
}

/** The data of a result of `offizin.api`; throws `OffizinError` when the server refused. */
export function value<Data>(result: { data?: Data; error?: unknown; response: Response }): Data {
  if (result.response.ok) return result.data as Data;
  throw errorOf(result.response, result.error);
}

interface CursorPage<Item> {
  data: Item[];
  pagination: { next_cursor: string | null };
}

/**
 * Every item of a list of `offizin.api`, page after page by cursor:
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
