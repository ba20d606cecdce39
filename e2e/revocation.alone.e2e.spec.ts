import type { TokenResponse } from '@offizin/contracts/tokens';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest } from '@offizin/testkit/order-request';
import { TestPlatform } from '@offizin/testkit/platform';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

it('a revoked key ends its tokens and its connector calls within 2 s, during traffic', async () => {
  const mine = await platform.organization();
  const admin = await platform.apiKey(mine.orgId, { kind: 'org', scopes: ['settings.write'] });
  const adminToken = json<TokenResponse>(await mine.exchange(admin.text)).access_token;
  const calls = [
    (): Promise<HttpAnswer> => mine.api('GET', '/orders'),
    (): Promise<HttpAnswer> => mine.exchange(mine.apiKey.text),
    (): Promise<HttpAnswer> => mine.connector({ body: orderRequest() }),
  ];
  let revokedAtMs = Infinity;
  let lastOkAtMs = 0;
  const traffic = calls.map(async (call) => {
    let ok = 0;
    for (;;) {
      const startedAtMs = Date.now();
      const { status } = await call();
      if (status === 401) return ok;
      expect(status).toBe(200);
      ok += 1;
      lastOkAtMs = Math.max(lastOkAtMs, startedAtMs);
      if (Date.now() > revokedAtMs + 5_000) throw new Error('a revoked key is still taken after 5 s');
    }
  });
  const authorization = `Bearer ${adminToken}`;
  for (const { id } of [mine.apiKey, mine.integrationKey]) {
    expect((await mine.api('DELETE', `/api-keys/${id}`, undefined, { authorization })).status).toBe(204);
  }
  revokedAtMs = Date.now();
  for (const ok of await Promise.all(traffic)) expect(ok).toBeGreaterThan(0);
  expect(lastOkAtMs - revokedAtMs).toBeLessThan(2_000);
});
