import { readFileSync } from 'node:fs';
import newman from 'newman';

/**
 * Sends requests of the converted collection: the exchange of the key, the writes below, and every GET whose parameters an
 * integrator knows on the first day. The others name objects that a new demo does not have. Keys and ids are filled in, as
 * a person does in Postman; everything else is as the converter wrote it.
 */
const TOKEN = 'POST auth/token';
const WRITES = [/^POST .*\/orders$/, /^POST .*\/orders\/batch$/, /^POST .*\/external-order$/];
/** 404 until a callback is set. */
const NOT_YET_THERE = /\/callback$/;
const FEWEST_REQUESTS = 20;

/** Parameters by name. */
const PARAMETERS = {
  orgId: given('OFFIZIN_ORG_ID'),
  shopId: given('OFFIZIN_SHOP_ID'),
  shop_id: given('OFFIZIN_SHOP_ID'),
  p1Id: given('OFFIZIN_P1_ID'),
  external_reference: given('OFFIZIN_REFERENCE'),
};
/** What the examples of bodies name, and what the demo has instead. */
const IN_EXAMPLES = JSON.parse(given('OFFIZIN_IN_EXAMPLES'));
/** Variables that the converter made. The token comes with the first request. */
const VARIABLES = {
  baseUrl: given('OFFIZIN_URL'),
  shop_url: given('OFFIZIN_SHOP_URL'),
  apiKey: given('OFFIZIN_INTEGRATION_KEY'),
};

function given(name) {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

function* requestsIn({ item = [] }) {
  for (const one of item) {
    if (one.request) yield one;
    else yield* requestsIn(one);
  }
}

const lineOf = ({ request: { method, url } }) => `${method} ${url.path.join('/')}`;

function parametersOf({ request: { url } }) {
  return [...(url.variable ?? []), ...(url.query ?? []).filter(({ disabled }) => !disabled)];
}

function isChosen(item) {
  const line = lineOf(item);
  if (line === TOKEN || WRITES.some((pattern) => pattern.test(line))) return true;
  if (item.request.method !== 'GET' || NOT_YET_THERE.test(line)) return false;
  return parametersOf(item).every(({ key }) => key in PARAMETERS);
}

function fill(item) {
  const { request, response: described } = item;
  for (const parameter of parametersOf(item)) parameter.value = PARAMETERS[parameter.key];
  if (request.body?.raw)
    for (const [shown, real] of Object.entries(IN_EXAMPLES))
      request.body.raw = request.body.raw.replaceAll(shown, real);
  const statuses = described.map(({ code }) => code).filter((code) => code < 300);
  const exec = [
    `pm.test('is answered as described', () => pm.expect(pm.response.code, pm.response.text()).to.be.oneOf(${JSON.stringify(statuses)}));`,
  ];
  if (lineOf(item) === TOKEN) {
    request.body.raw = JSON.stringify({ api_key: given('OFFIZIN_API_KEY') });
    exec.push(`pm.environment.set('bearerToken', pm.response.json().access_token);`);
  }
  item.event = [{ listen: 'test', script: { type: 'text/javascript', exec } }];
  return item;
}

const collection = JSON.parse(readFileSync('collection.json', 'utf8'));
collection.item = [...requestsIn(collection)].filter(isChosen).map(fill);
newman.run(
  {
    collection,
    reporters: ['cli'],
    reporter: { cli: { noBanner: true } },
    color: 'off',
    envVar: Object.entries(VARIABLES).map(([key, value]) => ({ key, value })),
  },
  (error, summary) => {
    if (error) throw error;
    const { requests, assertions } = summary.run.stats;
    const isFine = summary.run.failures.length === 0 && requests.total >= FEWEST_REQUESTS;
    console.log(`${requests.total} requests, ${assertions.failed} answered otherwise than described`);
    process.exitCode = isFine ? 0 : 1;
  },
);
