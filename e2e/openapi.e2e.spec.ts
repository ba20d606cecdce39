import { parse } from 'yaml';
import { testEnvironment } from '@offizin/testkit/environment';
import { http, json } from '@offizin/testkit/http';

/** Somebody who knows only the address of the API asks it for its description. */
const { baseUrl } = testEnvironment();

it.each([
  ['yaml', 'application/yaml; charset=utf-8'],
  ['json', 'application/json; charset=utf-8'],
])('serves the description as %s without a token, once per copy', async (format, mediaType) => {
  const url = `${baseUrl}/openapi/external-api.${format}`;
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
