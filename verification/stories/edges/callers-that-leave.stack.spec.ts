import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { type Edge, EDGES, targetAt } from '@offizin/testkit/edge-target';
import { eventually } from '@offizin/testkit/eventually';
import { http, json } from '@offizin/testkit/http';
import { LeavingCaller, requestBytes } from '@offizin/testkit/leaving-caller';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { type OwnStack, startOwnStack } from '@offizin/testkit/own-stack';
import { makePdf } from '@offizin/testkit/pdf';
import { uniqueTag } from '@offizin/testkit/platform';

/**
 * A caller that leaves before the end of its answer is logged and counted once, as 499, without the stack of an error.
 */
/** More than the 256 connections that an edge has to order-core: none of them may stay taken. */
const CALLERS = 300;

let ownStack: OwnStack;
let organization: TestOrganization;

beforeAll(async () => {
  ownStack = await startOwnStack({ gateway: { LOG_LEVEL: 'info' }, 'connector-edge': { LOG_LEVEL: 'info' } });
  organization = await ownStack.platform.organization();
}, 90_000);
afterAll(() => ownStack.stop(), 60_000);

type Line = Record<string, unknown> & { status?: number; request_id?: string };

function linesOf(edge: Edge): Line[] {
  const text = readFileSync(join(ownStack.stack.dataDir, 'logs', `${edge}.log`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** The statuses under which the log names the requests of one story, in the order of their ids. */
function statusesOf(edge: Edge, story: string): (number | undefined)[] {
  return linesOf(edge)
    .filter(({ msg, request_id }) => msg === 'request' && request_id?.startsWith(story))
    .map(({ status }) => status);
}

async function untilLogged(edge: Edge, story: string, count: number): Promise<(number | undefined)[]> {
  await eventually(`${count} lines`, () => statusesOf(edge, story).length >= count, 20_000);
  // A second line for one of them would come before that of a later request.
  const later = uniqueTag();
  await http(`${urlOf(edge)}/nobody`, { headers: { 'x-request-id': later } });
  await eventually('the later line', () => statusesOf(edge, later).length === 1);
  return statusesOf(edge, story);
}

async function countOf499(edge: Edge): Promise<number> {
  const metrics = await http(`${ownStack.stack.apps[edge].managementUrl}/metrics`);
  const counts = metrics.body
    .toString()
    .matchAll(/^offizin_http_request_duration_seconds_count\{.*status="499".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

const urlOf = (edge: Edge): string => targetAt(edge, organization).url;

function headersOf(edge: Edge, requestId: string): Record<string, string> {
  return { ...targetAt(edge, organization).headers, 'x-request-id': requestId };
}

/** A change that each edge passes on to order-core; `name` is its external id. */
function change(edge: Edge, requestId: string, name: string): Buffer {
  const order = { shop_id: organization.shops[0].shopId, external_id: name };
  const body = edge === 'gateway' ? order : orderRequest({}, { external_reference: name });
  return requestBytes('POST', targetAt(edge, organization).path, headersOf(edge, requestId), body);
}

async function isStored(edge: Edge, name: string): Promise<boolean> {
  if (edge === 'connector-edge')
    return (
      (await organization.connector({ method: 'GET', tail: `?external_reference=${name}` })).status === 200
    );
  const found = await organization.api('GET', `/orders?external_id=${name}`);
  return json<{ data: unknown[] }>(found).data.length === 1;
}

async function isAnswered(edge: Edge): Promise<boolean> {
  const answer =
    edge === 'gateway'
      ? await organization.api('GET', '/orders')
      : await organization.connector({ body: orderRequest() });
  return answer.status === 200;
}

function problemsIn(edge: Edge): Line[] {
  return linesOf(edge).filter((line) => Number(line['level']) >= 40 || 'error' in line);
}

async function whileCoreStands(work: () => Promise<void>): Promise<void> {
  const core = ownStack.stack.apps['order-core'];
  core.kill('SIGSTOP');
  await work().finally(() => core.kill('SIGCONT'));
}

describe.each(EDGES)('at the %s', (edge) => {
  it('callers that leave while order-core works are one line and one count each, and keep no connection to it', async () => {
    const story = uniqueTag();
    const before = await countOf499(edge);
    await whileCoreStands(async () => {
      const callers = await Promise.all(
        Array.from({ length: CALLERS }, async (_, place) => {
          const caller = await LeavingCaller.connect(urlOf(edge));
          await caller.send(change(edge, `${story}-${place}`, `${story}-${place}`));
          return caller;
        }),
      );
      for (const caller of callers) caller.leave();
      await untilLogged(edge, story, CALLERS);
    });
    await eventually('a later call to be answered', () => isAnswered(edge), 20_000);
    expect(await untilLogged(edge, story, CALLERS)).toEqual(Array(CALLERS).fill(499));
    expect((await countOf499(edge)) - before).toBe(CALLERS);
    expect(problemsIn(edge)).toEqual([]);
  }, 60_000);

  it('what a caller sent that left is done', async () => {
    const story = uniqueTag();
    await whileCoreStands(async () => {
      const caller = await LeavingCaller.connect(urlOf(edge));
      await caller.send(change(edge, story, story));
      caller.leave();
      expect(await untilLogged(edge, story, 1)).toEqual([499]);
    });
    await eventually('the change to be stored', () => isStored(edge, story));
  });

  it.each<[string, (caller: LeavingCaller) => void]>([
    ['leaves', (caller) => caller.leave()],
    ['ends its side', (caller) => caller.end()],
  ])('a caller that %s in the middle of its body is one line, and no error', async (_, stop) => {
    const story = uniqueTag();
    const before = await countOf499(edge);
    const caller = await LeavingCaller.connect(urlOf(edge));
    const whole = change(edge, story, story);
    await caller.send(whole.subarray(0, whole.length - 10));
    stop(caller);
    expect(await untilLogged(edge, story, 1)).toEqual([499]);
    caller.leave();
    expect((await countOf499(edge)) - before).toBe(1);
    expect(await isStored(edge, story).catch(() => false)).toBe(false);
    expect(problemsIn(edge)).toEqual([]);
  });

  it('requests that wait behind others on their connection are one line each', async () => {
    const story = uniqueTag();
    await whileCoreStands(async () => {
      const caller = await LeavingCaller.connect(urlOf(edge));
      const requests = Array.from({ length: 20 }, (_, place) =>
        change(edge, `${story}-${place}`, `${story}-${place}`),
      );
      await caller.send(Buffer.concat(requests));
      caller.leave();
    });
    // A connection with that many requests is not read, so the first answers are written to a caller that has left.
    const statuses = await untilLogged(edge, story, 20);
    expect(statuses).toHaveLength(20);
    const answered = statuses.filter((status) => status !== 499);
    expect(answered.length).toBeLessThanOrEqual(4);
    for (const status of answered) expect([200, 201]).toContain(status);
    expect(problemsIn(edge)).toEqual([]);
  });

  it('a body that is not HTTP is a 400 in the log, as the caller was told', async () => {
    const story = uniqueTag();
    const caller = await LeavingCaller.connect(urlOf(edge));
    const headers = { ...headersOf(edge, story), 'content-type': 'application/json' };
    const { path } = targetAt(edge, organization);
    const chunked = requestBytes('POST', path, { ...headers, 'transfer-encoding': 'chunked' });
    await caller.send(Buffer.concat([chunked, Buffer.from('no length\r\n')]));
    expect(await caller.firstPiece()).toContain('HTTP/1.1 400');
    expect(await untilLogged(edge, story, 1)).toEqual([400]);
    expect(problemsIn(edge)).toEqual([]);
  });

  it('an address that cannot be read is one line', async () => {
    const story = uniqueTag();
    await http(`${urlOf(edge)}/%c0`, { headers: { 'x-request-id': story } });
    expect(await untilLogged(edge, story, 1)).toEqual([400]);
  });
});

it('a caller that leaves while its answer is written is one line, whichever way the answer came', async () => {
  const pdf = Buffer.concat([makePdf(uniqueTag()), randomBytes(8_000_000)]);
  const id = await organization.submit(orderRequest({ prescription_pdf_base64: pdf.toString('base64') }));
  const document = `/api/v2/public/orgs/${organization.orgId}/order-requests/${id}/prescription.pdf`;
  // Without a token all 60 requests fit into one read. Requests that are unread when the caller leaves are not logged.
  const openHeaders = (requestId: string): Record<string, string> => ({
    host: 'api',
    'x-request-id': requestId,
  });
  const ways = [
    { path: document, requests: 1, headers: (requestId: string) => headersOf('gateway', requestId) },
    { path: '/openapi/external-api.json', requests: 60, headers: openHeaders },
  ];
  for (const { path, requests, headers } of ways) {
    const story = uniqueTag();
    const before = await countOf499('gateway');
    const caller = await LeavingCaller.connect(urlOf('gateway'));
    const all = Array.from({ length: requests }, (_, place) =>
      requestBytes('GET', path, headers(`${story}-${place}`)),
    );
    await caller.send(Buffer.concat(all));
    expect(await caller.firstPiece()).toContain('HTTP/1.1 200');
    caller.leave();
    const statuses = await untilLogged('gateway', story, requests);
    expect(statuses).toHaveLength(requests);
    const left = statuses.filter((status) => status === 499).length;
    expect(left).toBeGreaterThan(0);
    expect(statuses.filter((status) => status === 200)).toHaveLength(requests - left);
    expect((await countOf499('gateway')) - before).toBe(left);
  }
  expect(problemsIn('gateway')).toEqual([]);
}, 60_000);

describe('a file of orders', () => {
  let path: string;

  beforeAll(async () => {
    // More than the buffers of the sockets between order-core and the reader take.
    const [long, items] = ['x'.repeat(250), Array.from({ length: 400 }, () => ({ qty: 1, price: 1 }))];
    const order = {
      customer_name: long,
      address_street: long,
      address_city: long,
      address_phone: long,
      items,
    };
    for (let n = 0; n < 100; n++) await organization.createOrder({ ...order, order_number: long });
    ({ path } = targetAt('gateway', organization));
  }, 60_000);

  async function beginToRead(story: string): Promise<LeavingCaller> {
    const caller = await LeavingCaller.connect(urlOf('gateway'));
    await caller.send(requestBytes('GET', path, { ...headersOf('gateway', story), accept: 'text/csv' }));
    expect(await caller.firstPiece()).toContain('HTTP/1.1 200');
    return caller;
  }

  it('is not written on for a reader that leaves', async () => {
    // More than two at a time are refused: each reader that left has given its place back.
    for (let round = 0; round < 4; round++) {
      const story = uniqueTag();
      const caller = await beginToRead(story);
      caller.leave();
      expect(await untilLogged('gateway', story, 1)).toEqual([499]);
    }
    expect(problemsIn('gateway')).toEqual([]);
  });

  it('breaks off without its end when order-core dies', async () => {
    const caller = await beginToRead(uniqueTag());
    const core = ownStack.stack.apps['order-core'];
    core.kill('SIGKILL');
    // A reset, so that what the caller has not read yet does not stay in the kernel.
    await expect(caller.rest()).rejects.toThrow('ECONNRESET');
    await core.exited(5_000);
    await core.start();
  }, 60_000);
});
