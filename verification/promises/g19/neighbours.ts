import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { eventually } from '@offizin/testkit/eventually';
import { CallTimes } from '@offizin/testkit/load/call-times';
import { callApi, callConnector, textIn } from '@offizin/testkit/load/calls';
import { type HttpJob, type HttpRequest, UNIQUE } from '@offizin/testkit/load/job';
import { Load } from '@offizin/testkit/load/load';
import type { Pace } from '@offizin/testkit/load/pace';
import { Receiver } from '@offizin/testkit/load/receiver';
import { pause } from '@offizin/testkit/load/submissions';
import { listenOnLoopback } from '@offizin/testkit/loopback';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { type Bench, type Guarantee, some, verdict, type Verdict } from '../guarantee';
import { seconds } from '../nothing-lost';
import type { Trial } from '../trial';
import { ModestCaller } from './modest-caller';
import { seedNeighbour } from './neighbour-data';

const RATIO_AT_MOST = 2;
/** Times below this count as equal: they differ by the noise of a shared machine. */
const FLOOR_MS = 20;
const LATER_MS_AT_MOST = 1_000;
const CALLERS = 24;
/** The rate limit of a key, as it is by default. */
const FULL: Pace = { perSecond: 100, burst: 200 };
const LINES = 500;
/** Nearly as long as a name may be. */
const LONG_NAME = 'Salbe mit einem langen Namen '.repeat(8);
const INGEST_VALUES = 48_000;
const PDF_BYTES = 10 * 1024 * 1024 - 1_000;
const SILENT_URLS = 60;
const ENDPOINTS = 20;

export const neighbours: Guarantee = {
  id: 'G19',
  promise: 'One tenant at its full limits does not slow another',
  // It measures times, which depend on other load of the machine: not for `npm test`.
  isShort: false,
  run: async (bench) => {
    const trial = await bench.open();
    const greedy = trial.organization;
    const modest = await ModestCaller.start(await trial.platform.organization());
    // In separate processes: their work must not delay the measurement of the other tenant.
    const load = new Load();
    const sink = await Receiver.start(1);
    const silent = createServer((socket) => socket.on('error', () => undefined).resume());
    const silentUrl = `https://127.0.0.1:${await listenOnLoopback(silent)}`;
    bench.atEnd(async () => {
      load.stop();
      sink.stop();
      silent.close();
      modest.close();
    });
    const startedAt = performance.now();
    await seedNeighbour(trial, greedy, bench.pick(100_000, 20_000));
    bench.say(`seeded in ${seconds(performance.now() - startedAt)}`);
    await modest.measure(3_000, new CallTimes());
    const parts = { bench, modest, load };
    const verdicts: Verdict[] = [];
    for (const [name, job] of await attacksOf(greedy)) verdicts.push(await tryAttack(parts, name, job));
    verdicts.push(await tryWebhooks(parts, greedy, `${sink.origins[0] ?? ''}/slow`));
    verdicts.push(await trySilentUrls(modest, trial, silentUrl));
    return verdicts;
  },
};

interface Parts {
  bench: Bench;
  modest: ModestCaller;
  /** The greedy tenant's process. */
  load: Load;
}

/** It goes on until it is ended. */
type Attack = Pick<HttpJob, 'requests' | 'callers' | 'pace'>;

async function attacksOf(greedy: TestOrganization): Promise<[string, Attack][]> {
  const full = (requests: HttpRequest[]): Attack => ({ requests, callers: CALLERS, pace: FULL });
  const get = (path: string): HttpRequest => requestOf(greedy, 'GET', path);
  const pdf = await prescriptionPath(greedy);
  return [
    ['audit verify', full([get('/audit-log/verify'), get('/audit-log/verify?after_position=0')])],
    [
      'far offsets',
      full([
        get('/orders?sort=-updated_at&offset=80000'),
        get('/orders?payment_status=paid&sort=created_at&offset=80000'),
      ]),
    ],
    ['q with many hits', full([get('/orders?q=kundin')])],
    [`orders of ${LINES} long lines`, full([fatOrder(greedy)])],
    [`ingest of ${INGEST_VALUES} values`, full([fatIngest(greedy)])],
    ['reads of a 10 MB PDF', { requests: [get(pdf)], callers: 10, pace: { perSecond: 10, burst: 1 } }],
    [
      'sign-ins with wrong passwords',
      { requests: signIns(greedy), callers: 6, pace: { perSecond: 12, burst: 6 } },
    ],
    ['8 report loops', { ...full([get(`/reports/product-sales?${lastYear()}`)]), callers: 8 }],
  ];
}

function requestOf(
  { urls, orgId, token }: TestOrganization,
  method: string,
  path: string,
  body?: object,
): HttpRequest {
  return {
    origin: urls.baseUrl,
    method,
    path: `/api/v2/public/orgs/${orgId}${path}`,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  };
}

function fatOrder(greedy: TestOrganization): HttpRequest {
  const items = Array.from({ length: LINES }, (_, n) => ({ name: `${LONG_NAME}${n}`, qty: 2, price: 3.5 }));
  const [shop] = greedy.shops;
  return requestOf(greedy, 'POST', '/orders', { shop_id: shop.shopId, external_id: `fat-${UNIQUE}`, items });
}

function fatIngest(greedy: TestOrganization): HttpRequest {
  const keys = 960;
  const values = Array.from({ length: INGEST_VALUES / keys }, (_, n) => n);
  const further = Object.fromEntries(Array.from({ length: keys }, (_, n) => [`Further ${n}`, values]));
  const body = { 'Customer Email': 'erika@example.org', 'External Id': UNIQUE, ...further };
  return requestOf(greedy, 'POST', `/prescriptions/ingest?shop_id=${greedy.shops[0].shopId}`, body);
}

/** From many networks, because each of them may fail only a few times a minute. */
function signIns({ urls }: TestOrganization): HttpRequest[] {
  const body = JSON.stringify({ email: `nobody-${UNIQUE}@example.org`, password: 'a wrong password' });
  const headers = {
    origin: new URL(urls.baseUrl).origin,
    'x-offizin-console': '1',
    'content-type': 'application/json',
  };
  return Array.from({ length: 60 }, (_, n) => ({
    origin: urls.baseUrl,
    method: 'POST',
    path: '/console/api/sign-in',
    headers,
    body,
    localAddress: `127.0.0.${100 + n}`,
  }));
}

async function prescriptionPath(greedy: TestOrganization): Promise<string> {
  const pdf = Buffer.concat([makePdf(), randomBytes(PDF_BYTES)]).subarray(0, PDF_BYTES);
  const body = orderRequest({ prescription_pdf_base64: pdf.toString('base64') });
  const id = await eventually('a prescription to be taken', async () => {
    const answer = await callConnector(greedy, 'POST', body);
    return textIn(answer, 'id') ?? false;
  });
  return `/order-requests/${id}/prescription.pdf`;
}

function lastYear(): string {
  const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  return `from=${day(360)}&to=${day(0)}`;
}

async function tryAttack({ bench, modest, load }: Parts, name: string, attack: Attack): Promise<Verdict> {
  const alone = new CallTimes();
  const beside = new CallTimes();
  const statuses: Record<string, number> = {};
  const measureBeside = async (): Promise<void> => {
    await pause(500);
    await modest.measure(5_000, beside).finally(() => load.end());
  };
  bench.history.note(name);
  // In turn, because the other load of the machine changes by the minute.
  for (let round = 0; round < bench.pick(3, 1); round++) {
    await modest.measure(5_000, alone);
    const [attacked] = await Promise.all([load.http(attack, null), measureBeside()]);
    for (const [status, count] of Object.entries(attacked.statuses))
      statuses[status] = (statuses[status] ?? 0) + count;
    await pause(500);
  }
  bench.say(`${name}: ${JSON.stringify(statuses)}; ${figuresOf(alone, beside)}`);
  return judge({ fault: `${CALLERS} callers: ${name}`, alone, beside });
}

function judge({ fault, alone, beside }: { fault: string; alone: CallTimes; beside: CallTimes }): Verdict {
  const ratios = alone.kinds.map((kind) => {
    const [before, during] = [alone.p99Ms(kind), beside.p99Ms(kind)];
    return { kind, before, during, ratio: during / Math.max(before, FLOOR_MS) };
  });
  const worst = ratios.reduce((most, one) => (one.ratio > most.ratio ? one : most));
  const holds =
    ratios.every((one) => one.ratio <= RATIO_AT_MOST || isReportInTime(one)) && beside.failures.length === 0;
  return verdict(holds, {
    fault,
    trials: `${alone.count} calls of the other tenant alone, ${beside.count} beside`,
    figure:
      `p99 of ${worst.kind} ${seconds(worst.before)} alone, ${seconds(worst.during)} beside: ` +
      `ratio ${worst.ratio.toFixed(1)}; failures ${some(beside.failures)}`,
    bar: `ratio ≤ ${RATIO_AT_MOST} for each operation (alone at least ${FLOOR_MS} ms), a report 1 s later, no failure`,
  });
}

/** A report may begin a second later than alone. */
function isReportInTime({ kind, before, during }: { kind: string; before: number; during: number }): boolean {
  return kind === 'report' && during - before <= LATER_MS_AT_MOST;
}

function figuresOf(alone: CallTimes, beside: CallTimes): string {
  const pairs = alone.kinds.map(
    (kind) => `${kind} ${alone.p99Ms(kind).toFixed(0)} -> ${beside.p99Ms(kind).toFixed(0)} ms`,
  );
  return pairs.join(', ');
}

/** Many events for many slow endpoints of one tenant. */
async function tryWebhooks(parts: Parts, greedy: TestOrganization, url: string): Promise<Verdict> {
  for (let n = 0; n < ENDPOINTS; n++) {
    const { status, body } = await callApi(greedy, 'POST /webhooks', { url });
    if (status !== 201) throw new Error(`a subscription was answered ${status}: ${body}`);
  }
  const items = [{ name: 'Salbe', qty: 1, price: 2 }];
  const order = { shop_id: greedy.shops[0].shopId, external_id: `bulk-${UNIQUE}`, items };
  const requests = [requestOf(greedy, 'POST', '/orders', order)];
  const pace = { perSecond: FULL.perSecond / 5, burst: 1 };
  return tryAttack(parts, `events for ${ENDPOINTS} slow endpoints`, { requests, callers: CALLERS, pace });
}

/** The fetches of another tenant begin while all of these wait for their servers. */
async function trySilentUrls(
  modest: ModestCaller,
  { organization }: Trial,
  silentUrl: string,
): Promise<Verdict> {
  const alone = new CallTimes();
  const beside = new CallTimes();
  for (let n = 0; n < 3; n++) await modest.measureFetch(alone, 30_000);
  for (let n = 0; n < SILENT_URLS; n++) {
    const body = orderRequest({ prescription_pdf_url: `${silentUrl}/${n}.pdf` });
    await callConnector(organization, 'POST', body);
  }
  await pause(500);
  for (let n = 0; n < 5; n++) await modest.measureFetch(beside, 90_000);
  const [before, during] = [alone.p99Ms('fetch'), beside.p99Ms('fetch')];
  return verdict(during - before <= LATER_MS_AT_MOST && beside.failures.length === 0, {
    fault: `${SILENT_URLS} prescription URLs that never answer`,
    trials: '3 fetches of the other tenant alone, 5 beside',
    figure: `a fetch begins after ${seconds(before)} alone, ${seconds(during)} beside`,
    bar: `at most ${seconds(LATER_MS_AT_MOST)} later`,
  });
}
