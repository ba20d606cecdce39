/** What the page knows of the reader: the API key in memory only, and a token from it that is renewed in time. */
interface TokenAnswer {
  access_token: string;
  expires_in: number;
  org_id: string;
}
export interface Shop {
  shop_id: string;
  name: string;
}

const RENEWED_BEFORE_MS = 60_000;

export class Access {
  organizationId: string | undefined;
  shopId: string | undefined;
  shops: Shop[] = [];
  private apiKey: string | null = null;
  private token: { text: string; until: number } | null = null;
  private readonly listeners = new Set<() => void>();

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Exchanges the key, and reads the shops where its scopes allow it. Rejects with the words of the gateway. */
  async use(apiKey: string): Promise<void> {
    const { org_id } = await this.exchange(apiKey);
    this.apiKey = apiKey;
    this.organizationId = org_id;
    const answer = await fetch(`/api/v2/public/orgs/${org_id}/shops`, { headers: await this.headers() });
    this.shops = answer.ok ? ((await answer.json()) as { data: Shop[] }).data : [];
    this.shopId = this.shops[0]?.shop_id;
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
    if (this.token && this.token.until < Date.now() && this.apiKey !== null) await this.exchange(this.apiKey);
    return this.token ? { Authorization: `Bearer ${this.token.text}` } : {};
  }

  private async exchange(apiKey: string): Promise<TokenAnswer> {
    const answer = await fetch('/auth/token', { method: 'POST', headers: { 'X-API-Key': apiKey } });
    if (!answer.ok) {
      const { message } = (await answer.json()) as { message: string };
      throw new Error(message);
    }
    const body = (await answer.json()) as TokenAnswer;
    this.token = {
      text: body.access_token,
      until: Date.now() + body.expires_in * 1000 - RENEWED_BEFORE_MS,
    };
    return body;
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
