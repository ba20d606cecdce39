import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Description } from '@offizin/openapi/samples/described-call';
import { samplesOf } from '@offizin/openapi/samples/samples';
import { http, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';
import { resourcesOf } from './resources';
import { USER_AGENT } from './transport';

/** A stranger installs the packed client, copies the first lines of its README, and has an order. */
const checkout = resolve(__dirname, '../../..');
const modules = join(checkout, 'node_modules');
let platform: TestPlatform;
let organization: TestOrganization;
let project: string;
let packedBytes: number;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
  project = mkdtempSync(join(tmpdir(), 'offizin-client-'));
  await install(await pack());
  const [first = '', partner = ''] = readmeSamples();
  const own = { 'first-order.mts': first, 'partner.mts': partner, 'exports.mts': EVERY_EXPORT };
  await compile({ ...own, ...(await referenceSamples()) });
}, 240_000);
afterAll(() => platform.close());

/** Built by the project's own command, into the folder that it names. */
async function pack(): Promise<string> {
  const { targets } = JSON.parse(readFileSync(join(checkout, 'clients/typescript/project.json'), 'utf8')) as {
    targets: { build: { command: string } };
  };
  const PATH = `${join(modules, '.bin')}:${process.env['PATH'] ?? ''}`;
  await run('sh', ['-ec', targets.build.command], checkout, { PATH });
  const from = join(checkout, 'dist/clients/typescript');
  const packed = await run('npm', ['pack', '--json', '--pack-destination', project], from);
  const [archive] = JSON.parse(packed) as { filename: string; size: number }[];
  packedBytes = archive?.size ?? Infinity;
  return join(project, archive?.filename ?? '');
}

/** As `npm install` would, but without a registry: what it depends on comes from the checkout. */
async function install(archive: string): Promise<void> {
  const into = join(project, 'node_modules/@offizin/client');
  mkdirSync(into, { recursive: true });
  await run('tar', ['-xzf', archive, '--strip-components=1', '-C', into], project);
  const { dependencies } = JSON.parse(readFileSync(join(into, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of [...Object.keys(dependencies), '@types'])
    symlinkSync(join(modules, name), join(project, 'node_modules', name));
  writeFileSync(join(project, 'package.json'), '{"name":"stranger","private":true}');
}

/** Without blocking this process, which could not see meanwhile that its kept connections end. */
async function run(
  file: string,
  args: string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args, { cwd, env: { ...process.env, ...env } });
  return stdout;
}

/** As strictly as can be; all programs in one run, because the compiler takes most of the time. */
async function compile(programs: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(project, name), text);
  const options = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2022'];
  const compiler = [join(modules, 'typescript/bin/tsc'), ...options, '--types', 'node'];
  await run(process.execPath, [...compiler, ...Object.keys(programs)], project);
}

function readmeSamples(): string[] {
  const readme = readFileSync(join(project, 'node_modules/@offizin/client/README.md'), 'utf8');
  return [...readme.matchAll(/```ts\n([^]*?)```/g)].map(([, sample = '']) => sample);
}

/** A program for each operation, as the reference page shows it to the organization. */
async function referenceSamples(): Promise<Record<string, string>> {
  const { orgId: organizationId, shops, urls } = organization;
  const description = json<Description>(await http(`${urls.baseUrl}/openapi/external-api.json`));
  const filledIn = { organizationId, shopId: shops[0].shopId };
  const programs = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [
      `sample-${operationId}.mts`,
      samplesOf(description, path, method, filledIn)?.TypeScript,
    ]),
  );
  return Object.fromEntries(programs) as Record<string, string>;
}

/** Everything that a stranger needs by name, in use. */
const EVERY_EXPORT = [
  `import { Offizin, OffizinConnector, OffizinError, Unauthorized, value, type components } from '@offizin/client';`,
  `import { verifyWebhook, WebhookVerificationError, type WebhookEvent } from '@offizin/client/webhooks';`,
  `const order: Pick<components['schemas']['OrderDetail'], 'status'> = { status: 'shipped' };`,
  `const event = (): WebhookEvent => verifyWebhook('{}', {}, 'whsec_');`,
  `const subject = (e: WebhookEvent): string =>`,
  `  e.event_type === 'inventory_low' ? e.metadata.p1_id : e.event_type === 'order_created' ? e.metadata.order_id : e.id;`,
  `const told: string[] = [order.status, String(subject.length)];`,
  `try { event(); } catch (error) { told.push(String(error instanceof WebhookVerificationError)); }`,
  `const offizin = new Offizin({ baseUrl: process.env['OFFIZIN_URL'] ?? '', apiKey: 'ofz_org_wrong' });`,
  `const params = { path: { orgId: 'none' } };`,
  `try { value(await offizin.api.GET('/api/v2/public/orgs/{orgId}/orders', { params })); }`,
  `catch (error) { told.push(error instanceof OffizinError ? error.code : 'something else'); }`,
  `try { for await (const o of offizin.orders.list({ updated_since: '2026-01-01T00:00:00Z' })) told.push(o.id); }`,
  `catch (error) { told.push(error instanceof Unauthorized ? error.name : 'something else'); }`,
  `// @ts-expect-error: a list of products needs its shop`,
  `offizin.products.list();`,
  `// @ts-expect-error: there is no such status`,
  `const wrong = () => offizin.orders.patchStatus('id', { status: 'eaten' });`,
  `told.push(typeof wrong, typeof OffizinConnector);`,
  `console.log(told.join(' '));`,
].join('\n');

it('the lines of its README make the first order', async () => {
  const [first = ''] = readmeSamples();
  expect(first.trim().split('\n').length).toBeLessThanOrEqual(10);
  const told = await run(process.execPath, ['first-order.mjs'], project, {
    OFFIZIN_URL: organization.urls.baseUrl,
    OFFIZIN_API_KEY: organization.apiKey.text,
  });
  const [id] = told.split(' ');
  const order = await organization.api('GET', `/orders/${id ?? ''}`);
  expect(json(order)).toMatchObject({ external_id: 'A-1', total_amount: 13.8, status: 'pending' });
});

// That all of them compile was seen above.
it('is used by the samples of the reference: one sends an order, one lists it', async () => {
  const env = { API_KEY: organization.apiKey.text };
  await run(process.execPath, ['sample-orders.upsert.mjs'], project, env);
  const listed = await organization.api(
    'GET',
    `/orders?external_id=erp-1001&shop_id=${organization.shops[0].shopId}`,
  );
  expect(json(listed)).toMatchObject({ data: [{ customer_name: 'Erika Mustermann', total_amount: 99.9 }] });
  expect(await run(process.execPath, ['sample-orders.list.mjs'], project, env)).toContain(
    "external_id: 'erp-1001'",
  );
});

it('gives refusals as errors of a class, types of the bodies, and the check of a webhook', async () => {
  const told = await run(process.execPath, ['exports.mjs'], project, {
    OFFIZIN_URL: organization.urls.baseUrl,
  });
  expect(told.trim()).toBe('shipped 1 true unauthorized Unauthorized function function');
});

it('is required, too, and is the same package as the imported one', async () => {
  const text = [
    `const { Offizin, NotFound, OffizinError } = require('@offizin/client');`,
    `const { methods } = { methods: Object.keys(new Offizin({ baseUrl: 'http://127.0.0.1:9', apiKey: 'k' }).orders) };`,
    `import('@offizin/client').then((m) => console.log(m.NotFound === NotFound, NotFound.prototype instanceof OffizinError, methods.length));`,
  ];
  writeFileSync(join(project, 'required.cjs'), text.join('\n'));
  expect((await run(process.execPath, ['required.cjs'], project)).trim()).toBe('true true 12');
});

it('names each noun with its methods in its README, and its version in its User-Agent', () => {
  const rows: Record<string, string[]> = {};
  const readme = readFileSync(join(project, 'node_modules/@offizin/client/README.md'), 'utf8');
  for (const [, noun = '', cell = ''] of readme.matchAll(/^\| `(\w+)` +\| (`.*`) +\|$/gm))
    rows[noun] = [...cell.matchAll(/\w+/g)].map(([method]) => method).sort();
  const nouns = Object.entries(resourcesOf(async () => undefined)).map(([noun, methods]) => [
    noun,
    Object.keys(methods as object).sort(),
  ]);
  expect(rows).toEqual(Object.fromEntries(nouns));
  const { version } = JSON.parse(
    readFileSync(join(project, 'node_modules/@offizin/client/package.json'), 'utf8'),
  ) as { version: string };
  expect(USER_AGENT).toContain(`/${version} `);
});

it('holds what runs, its types, its README and its license, and nothing of the repository', async () => {
  const found = await run('find', ['.', '-type', 'f'], join(project, 'node_modules/@offizin/client'));
  const files = found.split('\n');
  expect(files).toEqual(
    expect.arrayContaining(['./README.md', './LICENSE', './src/entry.js', './src/entry.d.ts']),
  );
  expect(files.filter((file) => /spec|testkit|\.ts$/.test(file) && !file.endsWith('.d.ts'))).toEqual([]);
  expect(packedBytes).toBeLessThanOrEqual(60 * 1024);
});
