import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Description } from '@offizin/openapi/samples/described-call';
import { type SampleLanguage, samplesOf } from '@offizin/openapi/samples/samples';
import { http, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';

/** An integrator copies a sample in curl or Python from the reference; clients/typescript tests those in TypeScript. */
let platform: TestPlatform;
let organization: TestOrganization;
let description: Description;
let folder: string;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
  description = json(await http(`${organization.urls.baseUrl}/openapi/external-api.json`));
  folder = mkdtempSync(join(tmpdir(), 'offizin-samples-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await platform.close();
});

/** By operation, in the order of the description. */
function samplesIn(language: SampleLanguage): Map<string, string> {
  const filledIn = { organizationId: organization.orgId, shopId: organization.shops[0].shopId };
  const samples = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]): [string, string] => [
      operationId,
      samplesOf(description, path, method, filledIn)?.[language] ?? '',
    ]),
  );
  return new Map(samples);
}

function run(program: string, args: string[]): string {
  const secrets = { TOKEN: organization.token, API_KEY: organization.apiKey.text };
  return execFileSync(program, args, {
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, ...secrets },
  });
}

async function ordersOfSample(): Promise<unknown> {
  const { data } = json<{ data: unknown }>(await organization.api('GET', '/orders?external_id=erp-1001'));
  return data;
}

it('has a sample of every operation in every language', () => {
  const operations = Object.values(description.paths).flatMap((methods) => Object.keys(methods));
  for (const language of ['curl', 'TypeScript', 'Python'] as const) {
    const samples = [...samplesIn(language).values()];
    expect([language, samples.length, samples.includes('')]).toEqual([language, operations.length, false]);
  }
});

it('fills in organization and shop, and leaves other ids and all secrets to the reader', () => {
  const { orgId, shops } = organization;
  const curl = samplesIn('curl');
  const upsert = curl.get('orders.upsert') ?? '';
  expect(upsert).toContain(`/orgs/${orgId}/orders"`);
  expect(upsert).toContain(`"shop_id": "${shops[0].shopId}"`);
  expect(upsert).toContain('Bearer $TOKEN');
  expect(curl.get('products.list')).toContain(`?shop_id=${shops[0].shopId}"`);
  expect(curl.get('orders.get')).toContain('/orders/ORDER_ID"');
  expect(curl.get('order-requests.submit-external')).toContain('"$SHOP_URL/api/v1/external-order"');
});

it('is read by a shell without a complaint, and sends an order with curl', async () => {
  for (const [operation, sample] of samplesIn('curl')) {
    const { status, stderr } = spawnSync('bash', ['-n', '-c', sample], { encoding: 'utf8' });
    expect([operation, status, stderr]).toEqual([operation, 0, '']);
  }
  run('bash', ['-c', samplesIn('curl').get('orders.upsert') ?? '']);
  expect(await ordersOfSample()).toMatchObject([{ customer_name: 'Erika Mustermann', total_amount: 99.9 }]);
  expect(JSON.parse(run('bash', ['-c', samplesIn('curl').get('tokens.exchange') ?? '']))).toMatchObject({
    org_id: organization.orgId,
  });
});

it('is compiled by Python, and sends and lists an order with its standard library', async () => {
  const files = [...samplesIn('Python')].map(([operation, sample]) => {
    const file = join(folder, `${operation.replaceAll(/\W/g, '_')}.py`);
    writeFileSync(file, sample);
    return file;
  });
  run('python3', ['-m', 'py_compile', ...files]);
  run('python3', [join(folder, 'orders_upsert.py')]);
  expect(await ordersOfSample()).toMatchObject([{ customer_name: 'Erika Mustermann', total_amount: 99.9 }]);
  expect(run('python3', [join(folder, 'orders_list.py')])).toContain('erp-1001');
});
