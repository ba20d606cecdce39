import { errorOf } from './errors';

/** Renewed this long before it expires, so that no request sets out with a token that dies on the way. */
const RENEW_BEFORE_MS = 60_000;

interface TokenAnswer {
  access_token: string;
  expires_in: number;
  org_id: string;
}

/** The access token of one API key: exchanged when first needed, renewed before it expires, shared by all requests. */
export class AccessToken {
  private token: Promise<TokenAnswer> | null = null;
  private renewAtMs = 0;

  constructor(
    private readonly options: { baseUrl: string; apiKey: string; scope?: string; fetch: typeof fetch },
  ) {}

  async get(): Promise<string> {
    return (await this.answer()).access_token;
  }

  /** The organization that the key belongs to. */
  async organizationId(): Promise<string> {
    return (await this.answer()).org_id;
  }

  /** After a 401: the next request exchanges the key again. */
  forget(): void {
    this.token = null;
  }

  private async answer(): Promise<TokenAnswer> {
    if (!this.token || Date.now() >= this.renewAtMs) {
      // Set before the exchange ends: requests that come meanwhile wait for the same exchange.
      this.renewAtMs = Number.POSITIVE_INFINITY;
      this.token = this.exchange().catch((error: unknown) => {
        this.forget();
        throw error;
      });
    }
    return this.token;
  }

  private async exchange(): Promise<TokenAnswer> {
    const { baseUrl, apiKey, scope } = this.options;
    const response = await this.options.fetch(`${baseUrl}/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: apiKey, scope }),
    });
    const body: unknown = await response.json().catch(() => null);
    if (!response.ok) throw errorOf(response, body);
    const answer = body as TokenAnswer;
    this.renewAtMs = Date.now() + answer.expires_in * 1000 - RENEW_BEFORE_MS;
    return answer;
  }
}
