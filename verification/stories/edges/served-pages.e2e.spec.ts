import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import type { Description } from '@offizin/openapi/samples/described-call';
import { type SampleLanguage, samplesOf } from '@offizin/openapi/samples/samples';
import { testEnvironment } from '@offizin/testkit/environment';
import { http, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';

/** The page at the address of the gateway, and its links. */
describe('the front page', () => {
  const { baseUrl } = testEnvironment();

  const REFERENCE_PAGES = ['/docs#/guides/getting-started', '/docs#/orders', '/docs#/external-order'];

  const linksIn = (text: string, pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].map(([, link = '']) => link);

  async function expectReachable(paths: readonly string[]): Promise<void> {
    for (const path of paths) expect([path, (await http(`${baseUrl}${path}`)).status]).toEqual([path, 200]);
  }

  it('leads to the console, the reference, the description, every guide, the index for agents and the health', async () => {
    const answer = await http(`${baseUrl}/`);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    const links = linksIn(answer.body.toString(), /href="([^"]*)"/g);
    const guides = readdirSync(join(checkoutRoot, 'docs', 'integrate'))
      .filter((file) => file !== 'routes.md')
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

/** The gateway serves the staff console: one page for every address, and files named by their contents. */
describe('the files of the console', () => {
  const { baseUrl } = testEnvironment();

  const POLICY =
    "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='; " +
    "font-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; " +
    "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types pdf-worker";

  async function assetsOfPage(): Promise<string[]> {
    const page = (await http(`${baseUrl}/console`)).body.toString();
    return [...page.matchAll(/<(?:script|link)\b[^>]*\b(?:src|href)="([^"]*)"/g)].map(([, url = '']) => url);
  }

  it.each([
    '/console',
    '/console/',
    '/console/sign-in?to=%2Fconsole%2Frequests',
    '/console/requests?id=x',
    '/console/settings/me',
  ])('answers %s with the page, which is asked for anew each time', async (path) => {
    const answer = await http(`${baseUrl}${path}`);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers['cache-control']).toBe('no-cache');
    expect(answer.body.toString()).toContain('<div id="console">');
    const etag = String(answer.headers['etag']);
    const again = await http(`${baseUrl}${path}`, { headers: { 'if-none-match': etag } });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    const head = await http(`${baseUrl}${path}`, { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers['content-length']).toBe(String(answer.body.length));
  });

  it('leads a person at localhost to the name that cookie and changes belong to', async () => {
    const { port, origin } = new URL(baseUrl);
    const { status, headers } = await http(`http://localhost:${port}/console/sign-in?to=%2Fconsole%2F`);
    expect([status, headers['location']]).toEqual([307, `${origin}/console/sign-in?to=%2Fconsole%2F`]);
  });

  it('sends the policy of the page to the letter', async () => {
    const paths = ['/console', '/console/requests', ...(await assetsOfPage())];
    for (const path of paths) {
      const { headers } = await http(`${baseUrl}${path}`);
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

  it('serves what the page loads for ever, compressed as the caller takes it', async () => {
    const assets = await assetsOfPage();
    expect(
      assets.filter((path) => !/^\/console\/assets\/[\w.-]+-[\w-]{8}\.(?:js|css|svg|woff2)$/.test(path)),
    ).toEqual([]);
    for (const path of assets) {
      const plain = await http(`${baseUrl}${path}`);
      expect([path, plain.status, plain.headers['content-encoding']]).toEqual([path, 200, undefined]);
      expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      if (plain.headers['vary'] === undefined) continue;
      const brotli = await http(`${baseUrl}${path}`, { headers: { 'accept-encoding': 'gzip, br' } });
      expect(brotli.headers['content-encoding']).toBe('br');
      expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
      const gzip = await http(`${baseUrl}${path}`, { headers: { 'accept-encoding': 'gzip' } });
      expect(gzip.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    }
  });

  it.each([
    '/console/assets/gone-abcdefgh.js',
    '/console/assets/',
    '/console/assets/..%2Findex.html',
    '/console/assets/..%2F..%2F..%2Fpackage.json',
    '/console/assets/index.js/more',
    '/console/api',
    '/console/api/no-such-operation',
  ])('refuses %s in the shape of the contract, never with the page', async (path) => {
    const answer = await http(`${baseUrl}${path}`);
    expect([answer.status, json(answer)['error']]).toEqual([404, 'not_found']);
  });

  it('takes no other method', async () => {
    for (const path of ['/console', '/console/assets/index.js']) {
      const answer = await http(`${baseUrl}${path}`, { method: 'POST' });
      expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD']);
    }
  });
});

/** The API reference, for a browser that may have no other network. */
describe('the reference page', () => {
  const { baseUrl } = testEnvironment();

  const mediaTypes: Record<string, string> = {
    js: 'text/javascript; charset=utf-8',
    css: 'text/css; charset=utf-8',
    svg: 'image/svg+xml',
  };
  const TOTAL_BYTES_AT_MOST = 1.2 * 1024 * 1024;

  /** Everything that the page makes a browser load, the files that its script loads later included. */
  async function assetsOfPage(): Promise<string[]> {
    const page = (await http(`${baseUrl}/docs`)).body.toString();
    const named = [...page.matchAll(/<(?:script|link)\b[^>]*\b(?:src|href)="([^"]*)"/g)].map(
      ([, url = '']) => url,
    );
    const script = named.find((path) => path.endsWith('.js')) ?? '';
    const text = (await http(`${baseUrl}${script}`)).body.toString();
    const later = [...text.matchAll(/assets\/[\w.-]+-[\w-]{8}\.(?:js|css)/g)].map(
      ([path]) => `/docs/${path}`,
    );
    return [...new Set([...named, ...later])];
  }

  const typeOf = (path: string): string | undefined => mediaTypes[path.split('.').at(-1) ?? ''];

  it('serves the page without a token, asked for anew each time, and its files for ever', async () => {
    const answer = await http(`${baseUrl}/docs`);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers['cache-control']).toBe('no-cache');
    const etag = String(answer.headers['etag']);
    const again = await http(`${baseUrl}/docs`, { headers: { 'if-none-match': etag } });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    for (const path of await assetsOfPage())
      expect([path, (await http(`${baseUrl}${path}`)).headers['cache-control']]).toEqual([
        path,
        'public, max-age=31536000, immutable',
      ]);
  });

  it('is at most 1.2 MB with everything that it loads, in the larger of the two codings', async () => {
    const paths = ['/docs', '/docs/guides.json', '/openapi/external-api.json', ...(await assetsOfPage())];
    let bytes = 0;
    for (const path of paths)
      bytes += (await http(`${baseUrl}${path}`, { headers: { 'accept-encoding': 'gzip' } })).body.length;
    expect(bytes).toBeLessThanOrEqual(TOTAL_BYTES_AT_MOST);
  });

  it('answers HEAD as GET, without the body, and says so where another method comes', async () => {
    const paths = ['/docs', '/docs/guides.json', '/openapi/external-api.yaml', '/.well-known/jwks.json'];
    for (const path of paths) {
      const [head, get] = [
        await http(`${baseUrl}${path}`, { method: 'HEAD' }),
        await http(`${baseUrl}${path}`),
      ];
      expect([path, head.status, head.body.length]).toEqual([path, 200, 0]);
      for (const name of ['content-type', 'content-length', 'etag', 'content-security-policy'])
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
      const refused = await http(`${baseUrl}${path}`, { method: 'DELETE' });
      expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD']);
    }
    expect((await http(`${baseUrl}/docs/assets/nothing.js`, { method: 'HEAD' })).status).toBe(404);
    expect((await http(`${baseUrl}/auth/token`, { method: 'HEAD' })).status).toBe(405);
  });

  it('serves every asset that the page names, from its own origin and with its type', async () => {
    const assets = await assetsOfPage();
    expect(assets.length).toBeGreaterThan(3);
    expect(assets.filter((path) => !/^\/docs\/assets\/[\w-]+(?:\.[\w-]+)+$/.test(path))).toEqual([]);
    for (const path of assets) {
      const answer = await http(`${baseUrl}${path}`);
      expect([path, answer.status, answer.headers['content-type']]).toEqual([path, 200, typeOf(path)]);
      expect(answer.body.length).toBeGreaterThan(100);
    }
  });

  it('allows scripts, calls and frames of no other origin, and nothing inline', async () => {
    for (const path of ['/docs', ...(await assetsOfPage())]) {
      const { headers } = await http(`${baseUrl}${path}`);
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
    const styles = (await assetsOfPage()).filter((path) => path.endsWith('.css'));
    expect(styles.length).toBeGreaterThan(1);
    for (const path of ['/docs', ...styles]) {
      const text = (await http(`${baseUrl}${path}`)).body.toString();
      // Names of XML languages are no addresses: inside data: pictures nothing is loaded.
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

  it.each([
    '/docs/',
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
  ])('has no file %s', async (path) => {
    const answer = await http(`${baseUrl}${path}`);
    expect([answer.status, json(answer)]).toEqual([404, { error: 'not_found', message: expect.any(String) }]);
  });

  it.each(['/docs', '/docs/guides.json'])('takes only GET and HEAD at %s', async (path) => {
    const answer = await http(`${baseUrl}${path}`, { method: 'POST', body: {} });
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});

/** An integrator copies a sample in curl or Python from the reference; clients/typescript tests those in TypeScript. */
describe('its samples', () => {
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
});
