import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import type { Description } from '@offizin/openapi/samples/described-call';
import { type SampleLanguage, samplesOf } from '@offizin/openapi/samples/samples';
import { testEnvironment } from '@offizin/testkit/environment';
import { http, type HttpOptions, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';

const { baseUrl } = testEnvironment();
const MEDIA_TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** A copy that saves less is not offered (libs/http-edge/published-file.ts). */
const LARGEST_SHARE = 0.9;

const read = (path: string, options: HttpOptions = {}) => http(`${baseUrl}${path}`, options);

const linksIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, link = '']) => link);

/** The page at the address of the gateway, and its links. */
describe('the front page', () => {
  const REFERENCE_PAGES = ['/docs#/guides/getting-started', '/docs#/orders', '/docs#/external-order'];

  async function expectReachable(paths: readonly string[]): Promise<void> {
    for (const path of paths) expect([path, (await http(`${baseUrl}${path}`)).status]).toEqual([path, 200]);
  }

  it('leads to the console, the reference, the description, every guide, the index for agents and the health', async () => {
    const answer = await http(`${baseUrl}/`);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    const links = linksIn(answer.body.toString(), /href="([^"]*)"/g);
    const guides = readdirSync(join(checkoutRoot, 'docs', 'integrate'))
      .filter((file) => file.endsWith('.md') && file !== 'routes.md')
      .map((file) => `/guides/${file}`);
    expect(links).toEqual(
      expect.arrayContaining([
        '/console',
        '/docs',
        '/openapi/external-api.yaml',
        '/llms.txt',
        '/health',
        ...guides,
        ...REFERENCE_PAGES,
      ]),
    );
    await expectReachable(links);
    const shown = answer.body.toString();
    expect(shown).toContain('What each error means, and what to do about it.');
    expect(shown).not.toContain('Commands run with the demo');
  });

  it('answers the guides as text whose links lead on', async () => {
    const page = (await http(`${baseUrl}/guides/getting-started.md`)).body.toString();
    const links = linksIn(page, /\]\(([^)]*)\)/g);
    expect(links).toContain('webhooks.md');
    await expectReachable(links.map((link) => `/guides/${link}`));
    expect((await http(`${baseUrl}/guides/nothing.md`)).status).toBe(404);
  });

  it('answers llms.txt with every guide and operation, and nothing of the console', async () => {
    const answer = await http(`${baseUrl}/llms.txt`);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    const text = answer.body.toString();
    expect(text).toMatch(/^# Offizin\n\n> /);
    expect(text).toContain('- POST /api/v2/public/orgs/{orgId}/orders: ');
    expect(text).not.toContain('/review/requests');
    const links = linksIn(text, /\]\(([^)]*)\)/g);
    expect(links).toEqual(expect.arrayContaining(REFERENCE_PAGES.slice(1)));
    await expectReachable(links);
  });
});

interface ServedPage {
  path: string;
  marker: string;
  asset: RegExp;
  missing: string[];
}

const PAGES: ServedPage[] = [
  {
    path: '/console',
    marker: '<div id="console">',
    asset: /^\/console\/assets\/[\w.-]+-[\w-]{8}\.(?:js|css|svg|woff2)$/,
    missing: [
      '/console/assets/gone-abcdefgh.js',
      '/console/assets/',
      '/console/assets/..%2Findex.html',
      '/console/assets/..%2F..%2F..%2Fpackage.json',
      '/console/assets/index.js/more',
      '/console/api',
      '/console/api/no-such-operation',
    ],
  },
  {
    path: '/docs',
    marker: '<script',
    asset: /^\/docs\/assets\/[\w-]+(?:\.[\w-]+)+$/,
    missing: [
      '/docs/package.json',
      '/docs/start.js',
      '/docs/assets/',
      '/docs/assets/index.html',
      '/docs/constructor',
      '/docs/%2e%2e%2fpackage.json',
      '/docs/..%2f..%2f..%2fpackage.json',
      '/docs/..%5c..%5cpackage.json',
      '/docs/assets/..%2findex.html',
      '/docs/%00',
    ],
  },
];

/** Everything that the page makes a browser load, the files that its script loads later included. */
async function assetsOf(path: string): Promise<string[]> {
  const named = linksIn(
    (await read(path)).body.toString(),
    /<(?:script|link)\b[^>]*\b(?:src|href)="([^"]*)"/g,
  );
  const script = await read(named.find((name) => name.endsWith('.js')) ?? '');
  const later = linksIn(script.body.toString(), /(assets\/[\w.-]+-[\w-]{8}\.(?:js|css))/g);
  return [...new Set([...named, ...later.map((name) => `${path}/${name}`)])];
}

/** The console and the API reference: one page each, and files named by their contents. */
describe.each(PAGES)('the page $path', ({ path, marker, asset, missing }) => {
  it('is served without a token, requested again each time', async () => {
    const answer = await read(path);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers['cache-control']).toBe('no-cache');
    expect(answer.body.toString()).toContain(marker);
    const again = await read(path, { headers: { 'if-none-match': String(answer.headers['etag']) } });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    const head = await read(path, { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers['content-length']).toBe(String(answer.body.length));
  });

  it('loads files of its own origin, typed, for ever, compressed as the caller takes it', async () => {
    const assets = await assetsOf(path);
    expect(assets.length).toBeGreaterThan(3);
    expect(assets.filter((name) => !asset.test(name))).toEqual([]);
    for (const name of assets) {
      const plain = await read(name);
      const type = MEDIA_TYPES[name.split('.').at(-1) ?? ''];
      expect([name, plain.status, plain.headers['content-type']]).toEqual([name, 200, type]);
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      if (plain.headers['vary'] === undefined) continue;
      const gzip = await read(name, { headers: { 'accept-encoding': 'gzip' } });
      // Of a file of some bytes only Brotli saves enough.
      const isWorse = gzipSync(plain.body, { level: 9 }).length > LARGEST_SHARE * plain.body.length;
      expect(gzip.headers['content-encoding']).toBe(isWorse ? undefined : 'gzip');
      expect((isWorse ? gzip.body : gunzipSync(gzip.body)).equals(plain.body)).toBe(true);
      const smallest = await read(name, { headers: { 'accept-encoding': 'gzip, br' } });
      expect(smallest.body.length).toBeLessThanOrEqual(gzip.body.length);
      // gzip wins for files of a few hundred bytes.
      if (smallest.headers['content-encoding'] === 'gzip') continue;
      expect(smallest.headers['content-encoding']).toBe('br');
      expect(brotliDecompressSync(smallest.body).equals(plain.body)).toBe(true);
    }
  });

  it.each(missing)('has no file %s, and reports it in the shape of the contract', async (name) => {
    const answer = await read(name);
    expect([answer.status, json(answer)]).toEqual([404, { error: 'not_found', message: expect.any(String) }]);
  });

  it('takes no other method', async () => {
    const { status, headers } = await read(path, { method: 'POST', body: {} });
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the console', () => {
  const POLICY =
    "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='; " +
    "font-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; " +
    "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types pdf-worker";

  it('is the same page at each of its addresses', async () => {
    const { body } = await read('/console');
    const addresses = ['/console/', '/console/sign-in?to=%2Fconsole%2Frequests', '/console/settings/me'];
    for (const path of [...addresses, '/console/requests?id=x'])
      expect([path, (await read(path)).body.equals(body)]).toEqual([path, true]);
  });

  it('leads a person at localhost to the name that cookie and changes belong to', async () => {
    const { port, origin } = new URL(baseUrl);
    const { status, headers } = await http(`http://localhost:${port}/console/sign-in?to=%2Fconsole%2F`);
    expect([status, headers['location']]).toEqual([307, `${origin}/console/sign-in?to=%2Fconsole%2F`]);
  });

  it('sends the policy of the page to the letter', async () => {
    for (const path of ['/console', '/console/requests', ...(await assetsOf('/console'))]) {
      const { headers } = await read(path);
      expect([path, headers['content-security-policy']]).toEqual([path, POLICY]);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': expect.stringMatching(/camera=\(\).*publickey-credentials-get=\(self\)$/),
      });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});

/** The API reference, for a browser that may have no other network. */
describe('the reference page', () => {
  const TOTAL_BYTES_AT_MOST = 1.2 * 1024 * 1024;

  it('is at most 1.2 MB with everything that it loads, in the larger of the two codings', async () => {
    const paths = ['/docs', '/docs/guides.json', '/openapi/external-api.json', ...(await assetsOf('/docs'))];
    let bytes = 0;
    for (const path of paths)
      bytes += (await read(path, { headers: { 'accept-encoding': 'gzip' } })).body.length;
    expect(bytes).toBeLessThanOrEqual(TOTAL_BYTES_AT_MOST);
  });

  it('allows scripts, calls and frames of no other origin, and nothing inline', async () => {
    for (const path of ['/docs', ...(await assetsOf('/docs'))]) {
      const { headers } = await read(path);
      const policy = String(headers['content-security-policy']).split('; ');
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "connect-src 'self'",
          "frame-ancestors 'none'",
        ]),
      );
      expect(policy.join()).not.toMatch(/unsafe|https?:|\*/);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
    const page = (await http(`${baseUrl}/docs`)).body.toString();
    expect(page).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/);
  });

  it('names no other host in the page and the styles', async () => {
    const styles = (await assetsOf('/docs')).filter((path) => path.endsWith('.css'));
    expect(styles.length).toBeGreaterThan(1);
    for (const path of ['/docs', ...styles]) {
      const text = (await read(path)).body.toString();
      // Names of XML languages are not addresses: inside data: pictures nothing is loaded.
      const addresses = text.match(/(?:https?:)?\/\/[\w-]+(?:\.[\w-]+)+/g) ?? [];
      expect([path, addresses.filter((address) => !address.endsWith('//www.w3.org'))]).toEqual([path, []]);
    }
  });

  it('has every guide that the index for agents names, in its order', async () => {
    const index = (await http(`${baseUrl}/llms.txt`)).body.toString();
    const named = [...index.matchAll(/\]\(\/guides\/([^)]*)\)/g)].map(([, file]) => file);
    const guides = json<{ file: string; title: string; text: string }[]>(
      await http(`${baseUrl}/docs/guides.json`),
    );
    expect(guides.map(({ file }) => file)).toEqual(named);
    for (const { title, text } of guides) expect(text).toContain(`# ${title}`);
  });

  it.each(['/docs/', '/docs/?from=here'])('leads from %s to the page', async (path) => {
    const { status, headers } = await http(`${baseUrl}${path}`);
    expect([status, headers['location']]).toEqual([308, '/docs']);
  });
});

/** An integrator copies a sample in curl or Python from the reference; clients/typescript tests those in TypeScript. */
describe('its samples', () => {
  const platform = usePlatform();
  let organization: TestOrganization;
  let description: Description;
  let folder: string;

  beforeAll(async () => {
    organization = await platform.organization();
    description = json(await http(`${organization.urls.baseUrl}/openapi/external-api.json`));
    folder = mkdtempSync(join(tmpdir(), 'offizin-samples-'));
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
});
