import { testEnvironment } from '@offizin/testkit/environment';
import { http, json } from '@offizin/testkit/http';

/** Somebody opens the API reference in a browser that may have no other network. */
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
  const later = [...text.matchAll(/assets\/[\w.-]+-[\w-]{8}\.(?:js|css)/g)].map(([path]) => `/docs/${path}`);
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
