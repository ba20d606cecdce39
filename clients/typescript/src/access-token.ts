import { type Deadline, withDeadline } from './deadline';
import { errorOf } from './errors';
import type { Credentials, Transport } from './transport';

/** Renewed this long before it expires, so that no request sets out with a token that dies on the way. */
const RENEW_BEFORE_MS = 60_000;

interface TokenAnswer {
  access_token: string;
  expires_in: number;
  org_id: string;
}

/** The access token of one API key: exchanged when first needed, renewed before it expires, shared by all requests. */
export class AccessToken implements Credentials {
  private token: Promise<TokenAnswer> | null = null;
  private renewAtMs = 0;
  private waiting = 0;
  private abandon: (() => void) | null = null;
  private refused = '';

  constructor(
    private readonly options: {
      baseUrl: string;
      apiKey: string;
      scope: string | undefined;
      transport: Transport;
    },
  ) {}

  async header(deadline: Deadline): Promise<[name: string, value: string]> {
    return ['authorization', `Bearer ${(await this.answer(deadline)).access_token}`];
  }

  /** The organization that the key belongs to. */
  async organizationId(deadline: Deadline): Promise<string> {
    return (await this.answer(deadline)).org_id;
  }

  /** Many requests may receive 401 for one token; the first of them exchanges the key again, the others wait for it. */
  renew(header: string): boolean {
    if (header !== this.refused) {
      this.refused = header;
      this.token = null;
    }
    return true;
  }

  private async answer(deadline: Deadline): Promise<TokenAnswer> {
    if (!this.token || Date.now() >= this.renewAtMs) this.begin();
    this.waiting++;
    try {
      return await deadline.race(this.token as Promise<TokenAnswer>);
    } finally {
      this.waiting--;
      // The timer and the connection of an exchange that no call waits for would keep the process alive.
      if (this.waiting === 0) this.abandon?.();
    }
  }

  /** Requests that come while it runs wait for this exchange; the end of one of them does not end it. */
  private begin(): void {
    const nobodyWaits = new AbortController();
    this.renewAtMs = Number.POSITIVE_INFINITY;
    const abandon = (): void => {
      this.token = null;
      this.abandon = null;
      nobodyWaits.abort();
    };
    const token = this.exchange(nobodyWaits.signal)
      .catch((error: unknown) => {
        if (this.token === token) this.token = null;
        throw error;
      })
      .finally(() => {
        if (this.abandon === abandon) this.abandon = null;
      });
    this.token = token;
    this.abandon = abandon;
  }

  private async exchange(signal: AbortSignal): Promise<TokenAnswer> {
    const { baseUrl, apiKey, scope, transport } = this.options;
    const request = {
      method: 'POST',
      url: `${baseUrl}/auth/token`,
      headers: new Headers({ 'content-type': 'application/json' }),
      body: JSON.stringify({ api_key: apiKey, scope }),
    };
    const response = await withDeadline(transport.timeoutMs, signal, (own) => transport.send(request, own));
    const body: unknown = await response.json().catch(() => null);
    if (!response.ok) throw errorOf(response, body);
    const answer = body as TokenAnswer;
    this.renewAtMs = Date.now() + answer.expires_in * 1000 - RENEW_BEFORE_MS;
    return answer;
  }
}
