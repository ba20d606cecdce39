import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from '@offizin/local-stack/stack';
import { http, json } from '@offizin/testkit/http';
import { accessTo, TestPlatform } from '@offizin/testkit/platform';

/** An organization of the benchmark, with everything that a caller needs. */
export interface Tenant {
  orgId: string;
  apiKey: string;
  integrationKey: string;
  shops: { shopId: string; domain: string }[];
  /** Of all scopes. A row takes the tenant again, so the token lives until its end. */
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
    const platform = await TestPlatform.connect(accessTo(this.stack));
    try {
      const { orgId, shops, apiKey, integrationKey } = await platform.organization();
      const names = Array.from(
        { length: SHOPS_PER_TENANT - shops.length },
        (_, n) => `${n}-${orgId.slice(-12)}`,
      );
      const further = await Promise.all(names.map((shop) => platform.shop(orgId, shop)));
      const keys = { apiKey: apiKey.text, integrationKey: integrationKey.text };
      const tenant = { orgId, ...keys, shops: [...shops, ...further], token: '' };
      this.known[name] = tenant;
      writeFileSync(this.file, JSON.stringify(this.known, null, 2), { mode: 0o600 });
      return tenant;
    } finally {
      await platform.close();
    }
  }

  private async exchange({ apiKey }: Tenant): Promise<string> {
    const body = { api_key: apiKey };
    const answer = await http(`${this.stack.urls.gateway}/auth/token`, { method: 'POST', body });
    return json<{ access_token: string }>(answer).access_token;
  }
}
