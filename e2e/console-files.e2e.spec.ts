import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { testEnvironment } from '@offizin/testkit/environment';
import { http, json } from '@offizin/testkit/http';

/** The gateway serves the staff console: one page for every address, and files named by their contents. */
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
