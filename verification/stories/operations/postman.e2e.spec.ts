import { randomUUID } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { connectorOperations, gatewayOperations } from '@offizin/contracts/operations';
import { expectDescribed } from '@offizin/testkit/described-answers';
import { eventually } from '@offizin/testkit/eventually';
import { http, type HttpAnswer, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';

/** The collection for Postman, sent as Postman sends it: in its order, ids from earlier answers by its own scripts. */
interface Pair {
  key: string;
  value: string;
  disabled?: boolean;
}
interface Item {
  id: string;
  request: {
    method: string;
    auth?: { type: string };
    header: Pair[];
    url: { raw: string; host: string[]; path: string[]; query: Pair[] };
    body?: { raw: string };
  };
  event: [{ script: { exec: string[] } }];
}
interface Collection {
  auth: { bearer: [Pair] };
  variable: Pair[];
  item: { name: string; item: Item[] }[];
}

const platform = usePlatform();
let organization: TestOrganization;
let integrationKey: string;
let collection: Collection;

beforeAll(async () => {
  organization = await platform.organization();
  await platform.catalogProducts(1);
  const { baseUrl } = organization.urls;
  collection = json(await http(`${baseUrl}/openapi/postman-collection.json`));
  const key = await platform.apiKey(organization.orgId, { kind: 'int', reads_assortment: true });
  integrationKey = key.text;
  await eventually('the key to be known', async () => {
    const answer = await organization.connector({ method: 'GET', path: '/api/v1/products', key: key.text });
    return answer.status === 200;
  });
});

const items = (): Item[] => collection.item.flatMap(({ item }) => item);

/** Postman's variables in braces; one that is not there is a mistake of the collection. */
function filledIn(text: string, variables: ReadonlyMap<string, string>): string {
  const dynamic: Record<string, () => string> = {
    $guid: randomUUID,
    $isoTimestamp: () => new Date().toISOString(),
  };
  return text.replace(/\{\{([^}]*)\}\}/g, (_, name: string) => {
    const value = dynamic[name]?.() ?? variables.get(name);
    if (value === undefined) throw new Error(`The collection has no variable ${name}.`);
    return value;
  });
}

async function send({ request }: Item, variables: ReadonlyMap<string, string>): Promise<HttpAnswer> {
  const fill = (text: string): string => filledIn(text, variables);
  const { auth = { type: 'bearer' }, url, body } = request;
  const pairs = request.header.map(({ key, value }) => [key.toLowerCase(), fill(value)] as const);
  const headers: Record<string, string> = Object.fromEntries(pairs);
  if (url.host[0] === '{{shop_url}}') headers['host'] = organization.shops[0].domain;
  if (auth.type === 'bearer') headers['authorization'] = `Bearer ${fill(collection.auth.bearer[0].value)}`;
  const query = url.query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`);
  const raw = `${url.host.join('.')}/${url.path.join('/')}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  expect(url.raw).toBe(raw);
  const options = { method: request.method, headers, ...(body && { body: fill(body.raw) }) };
  const answer = await http(fill(raw), options);
  expectDescribed(request.method, fill(raw), answer);
  return answer;
}

/** What the scripts use of Postman's `pm`. */
function runScript({ event }: Item, answer: HttpAnswer, variables: Map<string, string>): void {
  const pm = {
    response: { code: answer.status, json: () => json(answer) },
    collectionVariables: {
      get: (name: string) => variables.get(name),
      set: (name: string, value: string) => variables.set(name, value),
    },
    test: (_: string, check: () => void) => check(),
    expect: (code: number) => ({
      to: { be: { oneOf: (codes: number[]) => expect([...codes]).toContain(code) } },
    }),
  };
  runInNewContext(event[0].script.exec.join('\n'), { pm });
}

it('has a request for each operation of the description', () => {
  const described = [...gatewayOperations, ...connectorOperations].map(({ name }) => name);
  expect(
    items()
      .map(({ id }) => id)
      .sort(),
  ).toEqual(described.sort());
});

it('succeeds request by request, also a second time; what was decided before, or is not yet, is the documented 409, and an offer that nobody made 404', async () => {
  const variables = new Map(collection.variable.map(({ key, value }) => [key, value]));
  expect(variables.get('base_url')).toBe(organization.urls.baseUrl);
  variables.set('api_key', organization.apiKey.text);
  variables.set('integration_key', integrationKey);
  variables.set('shop_url', organization.urls.connectorUrl);
  for (const run of ['first', 'second']) {
    const refused: Record<string, string> = {};
    for (const item of items()) {
      const answer = await send(item, variables);
      runScript(item, answer, variables);
      if (answer.status >= 300) refused[item.id] = `${answer.status} ${answer.body.toString()}`;
    }
    // No delivery may have been made yet, and its webhook is deleted before.
    const { 'webhook-deliveries.get': _get, 'webhook-deliveries.redeliver': _redeliver, ...others } = refused;
    expect({ run, ...others }).toEqual({
      run,
      'order-requests.retry-fetch': expect.stringMatching(/^409 /),
      'order-requests.accept-offer': expect.stringMatching(/^409 .*already_decided/),
      'order-requests.accept-offer-external': expect.stringMatching(/^404 .*There is no offer/),
      'order-requests.decline-offer-external': expect.stringMatching(/^404 .*There is no offer/),
      'order-requests.reject': expect.stringMatching(/^409 .*already_decided/),
      'order-requests.proof': expect.stringMatching(/^409 .*is pending/),
      'order-requests.cancel': expect.stringMatching(/^409 .*already_decided/),
    });
  }
}, 60_000);

it('repeats no Idempotency-Key, and switches no cursor on', () => {
  for (const { request } of items()) {
    const { header, url } = request;
    for (const { key, value } of header) if (key === 'Idempotency-Key') expect(value).toBe('{{$guid}}');
    for (const { key, disabled } of url.query)
      if (/^(?:cursor|offset|page)$/.test(key)) expect(disabled).toBe(true);
  }
});
