import { ask } from '../ask';

/** What the page knows of the reader: the API key in memory only, and a token from it that is renewed in time. */
interface TokenAnswer {
  access_token: string;
  expires_in: number;
  scope: string;
  org_id: string;
}
interface Token {
  text: string;
  until: number;
}
export interface Shop {
  shop_id: string;
  name: string;
}

const RENEWED_BEFORE_MS = 60_000;
const SCOPE_OF_SHOPS = 'products.read';

export class Access {
  organizationId: string | undefined;
  shopId: string | undefined;
  shops: Shop[] = [];
  private apiKey: string | null = null;
  private token: Token | null = null;
  private readonly listeners = new Set<() => void>();

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Exchanges the key, and reads the shops where its scopes allow it. Rejects with the words of the gateway, and then
   * knows nothing of the key.
   */
  async use(apiKey: string): Promise<void> {
    const { token, scope, organizationId } = await exchange(apiKey);
    const mayRead = scope.split(' ').includes(SCOPE_OF_SHOPS);
    const shops = mayRead ? await shopsOf(organizationId, token) : [];
    this.apiKey = apiKey;
    this.token = token;
    this.organizationId = organizationId;
    this.shops = shops;
    this.shopId = shops[0]?.shop_id;
    this.tell();
  }

  chooseShop(shopId: string): void {
    this.shopId = shopId;
    this.tell();
  }

  forget(): void {
    this.apiKey = null;
    this.token = null;
    this.organizationId = undefined;
    this.shopId = undefined;
    this.shops = [];
    this.tell();
  }

  get isKnown(): boolean {
    return this.apiKey !== null;
  }

  /** Nothing without a key. */
  async headers(): Promise<Record<string, string>> {
    const { apiKey } = this;
    if (this.token && this.token.until < Date.now() && apiKey !== null) {
      const { token } = await exchange(apiKey);
      // The reader may have left the key meanwhile.
      if (this.apiKey === apiKey) this.token = token;
    }
    return this.token ? authorization(this.token) : {};
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

async function exchange(apiKey: string): Promise<{ token: Token; scope: string; organizationId: string }> {
  const request = { method: 'POST', headers: { 'X-API-Key': apiKey } };
  const { access_token: text, expires_in, scope, org_id } = await ask<TokenAnswer>('/auth/token', request);
  const until = Date.now() + expires_in * 1000 - RENEWED_BEFORE_MS;
  return { token: { text, until }, scope, organizationId: org_id };
}

async function shopsOf(organizationId: string, token: Token): Promise<Shop[]> {
  const path = `/api/v2/public/orgs/${organizationId}/shops`;
  const { data } = await ask<{ data: Shop[] }>(path, { headers: authorization(token) });
  return data;
}

const authorization = ({ text }: Token): Record<string, string> => ({ Authorization: `Bearer ${text}` });
