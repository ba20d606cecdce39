import { element } from '../element';

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
interface Shop {
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

/** The form for the API key; with a key, what was filled in from it. */
export function drawAccessForm(place: HTMLElement, access: Access): void {
  const draw = (): void => place.replaceChildren(access.isKnown ? known(access) : unknown(access));
  access.onChange(draw);
  draw();
}

function unknown(access: Access): HTMLElement {
  const field = element('input', {
    id: 'api-key',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'ofz_org_…',
    required: '',
  });
  const status = element('p', { class: 'told', role: 'alert' });
  const form = element(
    'form',
    { class: 'access' },
    element('label', { for: 'api-key' }, 'Organization API key'),
    field,
    element('button', { type: 'submit' }, 'Use this key'),
    element('p', { class: 'hint' }, 'Fills in organization, shop and token. It stays in this page’s memory.'),
    status,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    status.textContent = '';
    access.use(field.value.trim()).catch((error: unknown) => {
      status.textContent = error instanceof Error ? error.message : String(error);
    });
  });
  return form;
}

function known(access: Access): HTMLElement {
  const shops = element(
    'select',
    { id: 'shop' },
    ...access.shops.map(({ shop_id, name }) =>
      element('option', { value: shop_id, ...(shop_id === access.shopId && { selected: '' }) }, name),
    ),
  );
  shops.addEventListener('change', () => access.chooseShop(shops.value));
  const leave = element('button', { type: 'button' }, 'Forget the key');
  leave.addEventListener('click', () => access.forget());
  const hasShops = access.shops.length > 0;
  return element(
    'div',
    { class: 'access' },
    element('span', {}, 'Organization ', element('code', {}, access.organizationId ?? '')),
    hasShops ? element('label', { for: 'shop' }, 'Shop') : null,
    hasShops ? shops : null,
    leave,
  );
}

/**
 * The body of an answer in JSON. Rejects with the words of the gateway where it refuses, and otherwise with what is
 * unavailable.
 */
export async function ask<Body>(path: string, request: RequestInit = {}): Promise<Body> {
  const answer = await fetch(path, request).catch(() => null);
  if (answer?.ok) return (await answer.json()) as Body;
  const refusal: unknown = await answer?.json().catch(() => null);
  throw new Error(
    wordsOf(refusal) ?? `${path} is unavailable: ${answer ? `HTTP ${answer.status}` : 'no answer'}`,
  );
}

function wordsOf(refusal: unknown): string | undefined {
  if (typeof refusal !== 'object' || refusal === null || !('message' in refusal)) return undefined;
  return typeof refusal.message === 'string' ? refusal.message : undefined;
}
