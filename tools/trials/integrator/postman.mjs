import { readFileSync } from 'node:fs';
import newman from 'newman';

/**
 * Sends requests of the converted collection, in this order. Keys and ids are filled in, as a person does in Postman;
 * everything else is as the converter wrote it.
 */
const SENT = [/^POST auth\/token$/, /^GET .*\/orders$/, /^POST .*\/orders$/, /^POST .*\/external-order$/];
const { OFFIZIN_API_KEY: api_key, OFFIZIN_ORG_ID: orgId, OFFIZIN_IN_EXAMPLES = '{}' } = process.env;
const VARIABLES = {
  baseUrl: process.env.OFFIZIN_URL,
  shop_url: process.env.OFFIZIN_SHOP_URL,
  apiKey: process.env.OFFIZIN_INTEGRATION_KEY,
};

const requestsIn = ({ item = [] }) => item.flatMap((one) => (one.request ? [one] : requestsIn(one)));

function filled(item) {
  const { request, response: described } = item;
  for (const parameter of request.url.variable ?? []) parameter.value = orgId;
  request.url.query = [];
  if (request.url.path.join('/') === 'auth/token') request.body.raw = JSON.stringify({ api_key });
  else if (request.body?.raw)
    for (const [shown, real] of Object.entries(JSON.parse(OFFIZIN_IN_EXAMPLES)))
      request.body.raw = request.body.raw.replaceAll(shown, real);
  const statuses = JSON.stringify(described.map(({ code }) => code).filter((code) => code < 300));
  const exec = [
    `pm.test('is answered as described', () => pm.expect(pm.response.code).to.be.oneOf(${statuses}));`,
    `const { access_token } = pm.response.json(); if (access_token) pm.environment.set('bearerToken', access_token);`,
  ];
  return { ...item, event: [{ listen: 'test', script: { type: 'text/javascript', exec } }] };
}

const collection = JSON.parse(readFileSync('collection.json', 'utf8'));
const all = requestsIn(collection);
collection.item = SENT.map((line) =>
  filled(all.find(({ request: { method, url } }) => line.test(`${method} ${url.path.join('/')}`))),
);
const envVar = Object.entries(VARIABLES).map(([key, value]) => ({ key, value }));
newman.run({ collection, reporters: ['cli'], color: 'off', envVar }, (error, { run }) => {
  if (error) throw error;
  console.log(
    `${run.stats.requests.total} requests, ${run.failures.length} answered otherwise than described`,
  );
  process.exitCode = run.failures.length === 0 ? 0 : 1;
});
