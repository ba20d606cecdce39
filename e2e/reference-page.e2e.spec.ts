import { Script } from 'node:vm';
import { testEnvironment } from '@offizin/testkit/environment';
import { http, json } from '@offizin/testkit/http';

/** Somebody opens the API reference in a browser that may have no other network. */
const { baseUrl } = testEnvironment();

const mediaTypes: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  png: 'image/png',
};

/** Everything that the page makes a browser load. */
async function assetsOfPage(): Promise<string[]> {
  const page = (await http(`${baseUrl}/docs`)).body.toString();
  return [...page.matchAll(/<(?:script|link)\b[^>]*\b(?:src|href)="([^"]*)"/g)].map(([, url = '']) => url);
}

const typeOf = (path: string): string | undefined => mediaTypes[path.split('.').at(-1) ?? ''];

it('serves the page without a token, once per copy', async () => {
  const answer = await http(`${baseUrl}/docs`);
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(answer.headers['cache-control']).toBe('public, max-age=300');
  const etag = String(answer.headers['etag']);
  const again = await http(`${baseUrl}/docs`, { headers: { 'if-none-match': etag } });
  expect([again.status, again.body.length]).toEqual([304, 0]);
});

it('answers HEAD as GET, without the body, and says so where another method comes', async () => {
  const paths = ['/docs', '/docs/start.js', '/openapi/external-api.yaml', '/.well-known/jwks.json'];
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
  expect((await http(`${baseUrl}/docs/nothing.js`, { method: 'HEAD' })).status).toBe(404);
  expect((await http(`${baseUrl}/auth/token`, { method: 'HEAD' })).status).toBe(405);
});

it('serves every asset that the page names, from its own origin and with its type', async () => {
  const assets = await assetsOfPage();
  expect(assets).toEqual(expect.arrayContaining(['/docs/start.js', '/docs/swagger-ui-bundle.js']));
  expect(assets.filter((path) => !/^\/docs\/[\w-]+(?:\.[\w-]+)+$/.test(path))).toEqual([]);
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

it('names no other host in the page, the script that starts it and the styles', async () => {
  const own = (await assetsOfPage()).filter((path) => path.endsWith('.css') || path.endsWith('/start.js'));
  expect(own.length).toBeGreaterThan(1);
  for (const path of ['/docs', ...own]) {
    const text = (await http(`${baseUrl}${path}`)).body.toString();
    // Names of XML languages are no addresses: inside data: pictures nothing is loaded.
    const addresses = text.match(/(?:https?:)?\/\/[\w-]+(?:\.[\w-]+)+/g) ?? [];
    expect([path, addresses.filter((address) => !address.endsWith('//www.w3.org'))]).toEqual([path, []]);
  }
});

it('starts on the description of this gateway, without the public validator of Swagger UI', async () => {
  const script = (await http(`${baseUrl}/docs/start.js`)).body.toString();
  expect(() => new Script(script)).not.toThrow();
  expect(script).toContain('validatorUrl: null');
  const [, description = ''] = /fetch\('([^']+)'\)/.exec(script) ?? [];
  expect(json(await http(`${baseUrl}${description}`))).toMatchObject({ servers: [{ url: baseUrl }] });
});

it.each([
  '/docs/',
  '/docs/package.json',
  '/docs/swagger-ui.css.map',
  '/docs/swagger-ui.css/',
  '/docs/constructor',
  '/docs/%2e%2e%2fpackage.json',
  '/docs/..%2f..%2f..%2fpackage.json',
  '/docs/..%5c..%5cpackage.json',
  '/docs/../swagger-ui-dist/package.json',
  '/docs/%00',
])('has no file %s', async (path) => {
  const answer = await http(`${baseUrl}${path}`);
  expect([answer.status, json(answer)]).toEqual([404, { error: 'not_found', message: expect.any(String) }]);
});

it.each(['/docs', '/docs/start.js'])('takes only GET and HEAD at %s', async (path) => {
  const answer = await http(`${baseUrl}${path}`, { method: 'POST', body: {} });
  expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD']);
});
