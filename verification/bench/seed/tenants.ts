import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiKeyFor, createOrganization, createShop } from '@offizin/contracts/people/directory';
import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import { callKeysOf } from '@offizin/local-stack/secrets';
import type { Stack } from '@offizin/local-stack/stack';
import { eventually } from '@offizin/testkit/eventually';
import { http, json } from '@offizin/testkit/http';
import { Platform } from '../../../tools/offizin/platform';

/** An organization of the benchmark, with everything that a caller needs. */
export interface Tenant {
  orgId: string;
  apiKey: string;
  integrationKey: string;
  shops: { shopId: string; domain: string }[];
  /** Of all scopes. A row takes the tenant anew, so the token lives until its end. */
  token: string;
}

const SHOPS_PER_TENANT = 4;
/** A token lives an hour, a whole run lasts longer, and a row at most some minutes. */
const TOKEN_USED_MS = 45 * 60_000;

/** Organizations by name, made once per data folder. Keys are shown only once, so they are kept beside the data. */
export class Tenants {
  private readonly file: string;
  private readonly known: Partial<Record<string, Tenant>>;
  private readonly tokenTakenAtMs = new Map<string, number>();

  constructor(private readonly stack: Stack) {
    this.file = join(stack.dataDir, 'bench-tenants.json');
    this.known = existsSync(this.file)
      ? (JSON.parse(readFileSync(this.file, 'utf8')) as Record<string, Tenant>)
      : {};
  }

  async get(name: string): Promise<Tenant> {
    const tenant = this.known[name] ?? (await this.make(name));
    if (Date.now() - (this.tokenTakenAtMs.get(name) ?? 0) > TOKEN_USED_MS) {
      tenant.token = await this.exchange(tenant);
      this.tokenTakenAtMs.set(name, Date.now());
    }
    return tenant;
  }

  private async make(name: string): Promise<Tenant> {
    const { natsOperator, secrets } = this.stack;
    const platform = await Platform.connect({
      natsUrl: natsOperator.url,
      natsUser: natsOperator.user ?? '',
      natsPassword: natsOperator.password ?? '',
      callKeys: callKeysOf('operator', secrets.callKeys),
    });
    try {
      const { org_id } = await platform.call(createOrganization, { name });
      const shops = [];
      for (let number = 1; number <= SHOPS_PER_TENANT; number++) {
        const domain = `shop-${number}-${org_id.slice(-12)}.bench.example`;
        const { shop_id } = await platform.call(createShop, { org_id, name: `Shop ${number}`, domain });
        shops.push({ shopId: shop_id, domain });
      }
      const key = { org_id, name: 'bench' };
      const org = await platform.call(createApiKeyFor, { ...key, kind: 'org', scopes: ALL_SCOPES });
      const int = await platform.call(createApiKeyFor, { ...key, kind: 'int' });
      const tenant = { orgId: org_id, apiKey: org.api_key, integrationKey: int.api_key, shops, token: '' };
      this.known[name] = tenant;
      writeFileSync(this.file, JSON.stringify(this.known, null, 2), { mode: 0o600 });
      return tenant;
    } finally {
      await platform.close();
    }
  }

  /** Waits until the gateway has heard of the key. */
  private async exchange({ apiKey }: Tenant): Promise<string> {
    return eventually('the API key to be exchangeable', async () => {
      const answer = await http(`${this.stack.urls.gateway}/auth/token`, {
        method: 'POST',
        body: { api_key: apiKey },
      });
      return answer.status === 200 && json<{ access_token: string }>(answer).access_token;
    });
  }
}
