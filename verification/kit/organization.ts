import type { InventoryListResponse } from '@offizin/contracts/products/inventory';
import { expectDescribed } from './described-answers';
import { eventually } from './eventually';
import { http, type HttpAnswer, type HttpOptions, json } from './http';
import { untilAnswered } from './race';

export interface Shop {
  shopId: string;
  domain: string;
}

export interface ApiKey {
  id: string;
  text: string;
}

export interface ConnectorCall extends Omit<HttpOptions, 'headers'> {
  /** Default: the first shop. */
  shop?: Shop;
  /** Default: the organization's integration key; null sends none. */
  key?: string | null;
  /** Default: that of order requests. */
  path?: string;
  /** Appended to the path, such as `/<id>` or `?external_reference=…`. */
  tail?: string;
  headers?: Record<string, string>;
}

interface OrganizationParts {
  orgId: string;
  shops: [Shop, Shop];
  integrationKey: ApiKey;
  apiKey: ApiKey;
}

/** An organization of the running stack, and the calls of its integrator and telemedicine partner. */
export class TestOrganization {
  readonly orgId: string;
  readonly shops: [Shop, Shop];
  readonly integrationKey: ApiKey;
  readonly apiKey: ApiKey;
  /** With all scopes. */
  token = '';

  constructor(
    readonly urls: { baseUrl: string; connectorUrl: string },
    parts: OrganizationParts,
  ) {
    this.orgId = parts.orgId;
    this.shops = parts.shops;
    this.integrationKey = parts.integrationKey;
    this.apiKey = parts.apiKey;
  }

  /**
   * A call below `/api/v2/public/orgs/{orgId}` with the token of all scopes; the answer must match the
   * description.
   */
  async api(
    method: string,
    path: string,
    body?: HttpOptions['body'],
    headers: Record<string, string> = {},
  ): Promise<HttpAnswer> {
    const url = `${this.urls.baseUrl}/api/v2/public/orgs/${this.orgId}${path}`;
    const answer = await http(url, {
      method,
      body,
      headers: { authorization: `Bearer ${this.token}`, ...headers },
    });
    expectDescribed(method, url, answer);
    return answer;
  }

  /** Calls a shop's connector: its address, with the shop's domain as Host. */
  async connector(call: ConnectorCall = {}): Promise<HttpAnswer> {
    const { shop = this.shops[0], key = this.integrationKey.text, tail = '', headers = {} } = call;
    const url = `${this.urls.connectorUrl}${call.path ?? '/api/v1/external-order'}${tail}`;
    const identity: Record<string, string> = { host: shop.domain };
    if (key !== null) identity['apikey'] = key;
    const answer = await http(url, {
      method: call.method ?? 'POST',
      body: call.body,
      headers: { ...identity, ...headers },
    });
    expectDescribed(call.method ?? 'POST', url, answer);
    return answer;
  }

  /** A call about the callback of a key at a shop. */
  async callback(
    method: 'PUT' | 'GET' | 'DELETE',
    body?: HttpOptions['body'],
    by: Pick<ConnectorCall, 'shop' | 'key' | 'headers'> = {},
  ): Promise<HttpAnswer> {
    return this.connector({ ...by, method, body, path: '/api/v1/callback' });
  }

  /** Submits an order request that must be accepted; resolves with its id. Repeats it if it has a reference. */
  async submit(body: object, shop: Shop = this.shops[0]): Promise<string> {
    const send = (): Promise<HttpAnswer> => this.connector({ body, shop });
    const answer = await ('external_reference' in body ? untilAnswered(send) : send());
    if (answer.status !== 200)
      throw new Error(`the connector answered ${answer.status}: ${answer.body.toString()}`);
    return json<{ id: string }>(answer).id;
  }

  /** Creates an order that must be accepted; resolves with its detail. */
  async createOrder(fields: object = {}): Promise<{ id: string; external_id: string; updated_at: string }> {
    const external_id = `order-${Math.random().toString(36).slice(2)}`;
    const body = { shop_id: this.shops[0].shopId, external_id, ...fields };
    const answer = await this.api('POST', '/orders', body);
    if (answer.status !== 201)
      throw new Error(`the upsert answered ${answer.status}: ${answer.body.toString()}`);
    return json(answer);
  }

  async stock(p1Id: string, initialStock: number): Promise<void> {
    const body = { p1_id: p1Id, initial_stock: initialStock };
    const answer = await this.api('POST', '/products/add-to-inventory', body);
    if (answer.status !== 201)
      throw new Error(`add-to-inventory answered ${answer.status}: ${answer.body.toString()}`);
  }

  /** The pieces of a product in the inventory, and how many of them are reserved. */
  async stockOf(p1Id: string): Promise<[stock: number, reserved: number]> {
    const { data } = json<InventoryListResponse>(await this.api('GET', `/inventory?q=${p1Id}`));
    const row = data.find(({ p1_id }) => p1_id === p1Id);
    return [row?.stock_quantity ?? -1, row?.reserved_quantity ?? -1];
  }

  async exchange(apiKey: string, scope?: string): Promise<HttpAnswer> {
    return http(`${this.urls.baseUrl}/auth/token`, { method: 'POST', body: { api_key: apiKey, scope } });
  }

  /** Exchanges the API key of all scopes again. The token is unchanged if that is refused. */
  async renewToken(): Promise<void> {
    const answer = await this.exchange(this.apiKey.text);
    if (answer.status === 200) this.token = json<{ access_token: string }>(answer).access_token;
  }

  /** Waits until gateway, connector and catalog know the organization, its shops and keys. */
  async becomeKnown(): Promise<void> {
    this.token = await eventually('the API key to be exchangeable', async () => {
      const answer = await this.exchange(this.apiKey.text);
      return answer.status === 200 && json<{ access_token: string }>(answer).access_token;
    });
    for (const shop of this.shops) {
      await eventually(`the connector to know ${shop.domain} and the key`, async () => {
        const answer = await this.connector({ method: 'GET', shop });
        // Without a reference the request is refused, but only after domain and key were accepted.
        return answer.status === 400;
      });
    }
    await eventually('the catalog to know the shops', async () => {
      const { data } = json<{ data?: unknown[] }>(await this.api('GET', '/shops'));
      return data?.length === this.shops.length;
    });
  }
}

/** A token with these scopes only. */
export async function tokenWith(organization: TestOrganization, scopes: readonly string[]): Promise<string> {
  const answer = await organization.exchange(organization.apiKey.text, scopes.join(' '));
  if (answer.status !== 200)
    throw new Error(`the exchange answered ${answer.status}: ${answer.body.toString()}`);
  return json<{ access_token: string }>(answer).access_token;
}

/** The smallest order request that every shop takes. */
export function orderRequest(
  payload: Record<string, unknown> = {},
  envelope: Record<string, unknown> = {},
): { payload: Record<string, unknown> } & Record<string, unknown> {
  const items = [{ name: 'Salbe', quantity: 2, price: 3.5 }];
  return {
    source: 'telemedicine',
    ...envelope,
    payload: { customer_name: 'Erika Mustermann', items, ...payload },
  };
}
