import { randomUUID } from 'node:crypto';
import { MAX_SESSION_STREAMS } from '@offizin/contracts/console/live';
import { MAX_SESSIONS } from '@offizin/contracts/people/sessions';
import { http, json } from '@offizin/testkit/http';
import type { TestPerson } from '@offizin/testkit/person';
import type { Bench } from '../bench';
import { residentMb } from '../cpu-time';
import { OpenStream } from '../load/live-stream';
import { median } from '../median';
import { once } from '../once';
import type { Measured, Row } from '../row';
import { anotherSession, peopleOf } from '../seed/people';
import { handIn } from '../seed/requests';
import type { Tenant } from '../seed/tenants';

/** How soon people hear of a change, and of the end of their session. A row names its bar. */
const CHANGES = 60;
const REVOCATIONS = 5;
/** The most that one organization may hold at a gateway, and four of them: all streams that it takes. */
const ORGANIZATIONS = 4;
const SESSIONS = 62;
const DEADLINE_MS = 20_000;

interface Latencies {
  p50: number;
  p99: number;
  /** Median until the partner had its receipt. */
  receipt: number;
  memoryMb: { before: number; after: number };
  streams: number;
}

const BARS = [
  ['p50', 300],
  ['p99', 1_500],
] as const;

export const liveRows: Row[] = [
  ...BARS.map(([figure, atMost]): Row => ({
    name: `console live: request handed in to a colleague's stream, ${figure}`,
    unit: 'ms',
    bar: { of: 'value', atMost },
    against: 'the receipt for the partner, p50',
    run: async (bench) => of(await withOneStream(bench), figure),
  })),
  ...BARS.map(([figure, atMost]): Row => ({
    name: `console live: the same with 1,000 open streams, all of 250 colleagues, ${figure}`,
    unit: 'ms',
    bar: { of: 'value', atMost },
    against: 'the receipt for the partner, p50',
    run: async (bench) => of(await withManyStreams(bench), figure),
  })),
  {
    name: 'console live: memory of the gateway with 1,000 open streams',
    unit: 'MB',
    bar: { of: 'value', atMost: 150 },
    against: 'before they were opened',
    run: async (bench) => {
      const { memoryMb, streams } = await withManyStreams(bench);
      const { before: raw, after: product } = memoryMb;
      return { product, raw, ratio: product / raw, note: `${streams} streams` };
    },
  },
  {
    name: `console live: session revoked to its stream ended, longest of ${REVOCATIONS}`,
    unit: 'ms',
    bar: { of: 'value', atMost: 2_000 },
    against: 'the answer to the owner who revoked it, p50',
    run: measureRevocation,
  },
];

function of({ receipt, ...latencies }: Latencies, figure: 'p50' | 'p99'): Measured {
  const product = latencies[figure];
  return { product, raw: receipt, ratio: product / receipt, note: `${latencies.streams} streams` };
}

const withOneStream = once((bench) => measure(bench, { organizations: 1, sessions: 1, perSession: 1 }));
const withManyStreams = once((bench) =>
  measure(bench, {
    organizations: bench.quick ? 2 : ORGANIZATIONS,
    sessions: bench.quick ? 2 : SESSIONS,
    perSession: MAX_SESSION_STREAMS,
  }),
);

interface Crowd {
  organizations: number;
  /** Of each organization. */
  sessions: number;
  perSession: number;
}

async function measure(bench: Bench, { organizations, sessions, perSession }: Crowd): Promise<Latencies> {
  const tenants: Tenant[] = [];
  while (tenants.length < organizations) tenants.push(await bench.tenants.get(`live ${tenants.length + 1}`));
  const crowd = await Promise.all(tenants.map((tenant) => signedIn(bench, tenant, sessions)));
  const gateway = bench.stack.apps.gateway.pid ?? 0;
  await bench.settle();
  const before = residentMb(gateway);
  const opened: OpenStream[][] = [];
  try {
    for (const people of crowd) opened.push(await openAll(bench, people, perSession));
    await bench.settle();
    const memoryMb = { before, after: residentMb(gateway) };
    const [late, receipts]: [number[], number[]] = [[], []];
    for (let number = 0; number < (bench.quick ? 4 : CHANGES); number++) {
      const [tenant, streams] = [tenants[number % organizations], opened[number % organizations]];
      if (!tenant || !streams) throw new Error('an organization without streams');
      const sentAtMs = performance.now();
      const id = await submit(bench, tenant, number);
      receipts.push(performance.now() - sentAtMs);
      for (const stream of streams) late.push((await stream.seen(id)) - sentAtMs);
    }
    late.sort((a, b) => a - b);
    const p99 = late[Math.floor(late.length * 0.99)] ?? Number.NaN;
    return { p50: median(late), p99, receipt: median(receipts), memoryMb, streams: opened.flat().length };
  } finally {
    for (const stream of opened.flat()) stream.close();
  }
}

/** As few people as can have that many sessions. */
async function signedIn(bench: Bench, tenant: Tenant, sessions: number): Promise<TestPerson[]> {
  const people = await peopleOf(bench, tenant, 'pharmacist', Math.ceil(sessions / MAX_SESSIONS));
  const all = [...people];
  for (let next = 0; all.length < sessions; next++) {
    const person = people[next % people.length];
    if (person) all.push(await anotherSession(bench, person));
  }
  return all;
}

async function openAll(bench: Bench, people: TestPerson[], perSession: number): Promise<OpenStream[]> {
  const streams: OpenStream[] = [];
  for (const person of people)
    for (let number = 0; number < perSession; number++)
      streams.push(await OpenStream.open(bench.stack.urls.gateway, person));
  return streams;
}

/** Returns the id of the request. */
async function submit(bench: Bench, tenant: Tenant, number: number): Promise<string> {
  const { method, path, headers, body } = handIn(tenant, `live-${randomUUID()}`, number);
  const url = `${bench.stack.urls.connectorEdge}${path}`;
  const answer = await http(url, {
    method,
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  });
  if (answer.status !== 200)
    throw new Error(`a request was answered ${answer.status}: ${String(answer.body)}`);
  return json<{ id: string }>(answer).id;
}

/** The sessions are not brand-new: one that is revoked before the gateway's directory has heard of it lives up to 2.5 s. */
async function measureRevocation(bench: Bench): Promise<Measured> {
  const tenant = await bench.tenants.get('live 1');
  const [owner] = await peopleOf(bench, tenant, 'owner', 1);
  const people = await peopleOf(bench, tenant, 'pharmacist', REVOCATIONS);
  if (!owner) throw new Error('nobody was invited');
  await bench.settle();
  const [ends, answers]: [number[], number[]] = [[], []];
  for (const person of people) {
    const stream = await OpenStream.open(bench.stack.urls.gateway, person);
    const sentAtMs = performance.now();
    const answer = await owner.org('POST', `/staff/${person.id}/sign-out`);
    if (answer.status !== 204) throw new Error(`the revocation was answered ${answer.status}`);
    answers.push(performance.now() - sentAtMs);
    const deadline = setTimeout(() => stream.close(), DEADLINE_MS);
    ends.push((await stream.ended) - sentAtMs);
    clearTimeout(deadline);
  }
  const [product, raw] = [Math.max(...ends), median(answers)];
  return { product, raw, ratio: product / raw };
}
