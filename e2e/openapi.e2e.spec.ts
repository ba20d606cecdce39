import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { testEnvironment } from '@offizin/testkit/environment';
import { http, json } from '@offizin/testkit/http';

/** Somebody who knows only the address of the API asks it for its description. */
const { baseUrl } = testEnvironment();

it.each([
  ['/openapi/external-api.yaml', 'application/yaml; charset=utf-8'],
  ['/openapi/external-api.json', 'application/json; charset=utf-8'],
  ['/docs/openapi/external-api.yaml', 'application/yaml; charset=utf-8'],
  ['/docs/openapi/external-api.json', 'application/json; charset=utf-8'],
])('serves the description at %s without a token, once per copy', async (path, mediaType) => {
  const url = `${baseUrl}${path}`;
  const answer = await http(url);
  expect([answer.status, answer.headers['content-type']]).toEqual([200, mediaType]);
  expect(answer.headers['cache-control']).toBe('public, max-age=300');
  const etag = String(answer.headers['etag']);
  const again = await http(url, { headers: { 'if-none-match': `"other", W/${etag}` } });
  expect([again.status, again.body.length]).toEqual([304, 0]);
  const changed = await http(url, { headers: { 'if-none-match': '"other"' } });
  expect(changed.status).toBe(200);
});

it('says the same in both forms, with the address under which it is served', async () => {
  const yaml = await http(`${baseUrl}/openapi/external-api.yaml`);
  const description = json(await http(`${baseUrl}/openapi/external-api.json`));
  expect(parse(yaml.body.toString())).toEqual(description);
  expect(description).toMatchObject({ openapi: '3.1.1', servers: [{ url: baseUrl }] });
});

const PUBLISHED = ['/openapi/external-api.yaml', '/openapi/external-api.json', '/docs/guides.json'];

describe.each(PUBLISHED)('%s is sent', (path) => {
  const read = (headers: Record<string, string>) => http(`${baseUrl}${path}`, { headers });

  it.each([
    ['br', 'gzip, deflate, br', brotliDecompressSync],
    ['br', '*', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip', 'BR;q=0, GZIP;q=0.5', gunzipSync],
  ])('as %s to a caller that accepts "%s"', async (coding, accepted, decompress) => {
    const [plain, answer] = [await read({}), await read({ 'accept-encoding': accepted })];
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, coding]);
    expect(answer.headers['content-type']).toBe(plain.headers['content-type']);
    expect(answer.headers['vary']).toBe('accept-encoding');
    expect(answer.body.length).toBeLessThan(plain.body.length / 2);
    expect(decompress(answer.body).equals(plain.body)).toBe(true);
    const etag = String(answer.headers['etag']);
    expect(etag).not.toBe(plain.headers['etag']);
    const again = await read({ 'accept-encoding': accepted, 'if-none-match': etag });
    expect([again.status, again.headers['etag'], again.headers['vary']]).toEqual([
      304,
      etag,
      'accept-encoding',
    ]);
  });

  it.each(['', 'identity', 'gzip;q=0', 'gzip;q=0, br;q=0.0, *;q=0', 'zstd'])(
    'as it is to a caller that accepts "%s"',
    async (accepted) => {
      const answer = await read({ 'accept-encoding': accepted });
      expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined]);
      expect(answer.headers['vary']).toBe('accept-encoding');
    },
  );
});

it('serves the public keys once per copy, too', async () => {
  const url = `${baseUrl}/.well-known/jwks.json`;
  const { status, headers, body } = await http(url);
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([
    200,
    'application/json; charset=utf-8',
    'public, max-age=300',
  ]);
  expect(JSON.parse(body.toString())).toEqual({ keys: expect.any(Array) });
  const again = await http(url, { headers: { 'if-none-match': String(headers['etag']) } });
  expect([again.status, again.body.length]).toEqual([304, 0]);
});
