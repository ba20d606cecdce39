import type { Caller } from '@offizin/contracts/calls/caller';
import { Text } from '@offizin/contracts/calls/fields';
import { internalOperation, type Operation, operation } from '@offizin/contracts/calls/operation';
import { eventually } from '@offizin/testkit/eventually';
import { CallShares, SHARE_WAIT } from './call-shares';
import { Activity, FairShares } from '@offizin/runtime/fair-shares';
import type { ReceivedCall, WireAnswer } from './serve-operation';

class Body {
  @Text({ optional: true }) text?: string;
}

const common = { summary: 'For this spec', service: 'order-core', access: 'orders.read' } as const;
const dear = operation({ ...common, name: 'spec.dear', method: 'GET', path: '/dear' });
const cheap = operation({ ...common, name: 'spec.cheap', method: 'POST', path: '/cheap', body: Body });
const report = operation({ ...common, name: 'spec.report', method: 'GET', path: '/report' });
const internal = internalOperation({
  name: 'spec.internal',
  summary: 'For this spec',
  service: 'order-core',
  body: Body,
  reply: Body,
});

const DONE: WireAnswer = { status: 200, headers: {}, body: '' };

let endAll: () => Promise<unknown> = () => Promise.resolve();
afterEach(() => endAll());

function service() {
  const activity = new Activity();
  const reportTime = new FairShares({ name: 'spec reports', activity, slots: 4, perParty: 1, ...SHARE_WAIT });
  const shares = new CallShares({
    databasePool: 16,
    activity,
    cheap: new Map<Operation, string[]>([[cheap, ['limit', 'cursor']]]),
    apart: new Map<Operation, FairShares>([[report, reportTime]]),
  });
  const running: string[] = [];
  const ends: (() => void)[] = [];
  let underWay = 0;
  const around = shares.around(
    (_op, { caller }) =>
      new Promise((resolve) => {
        running.push(caller.orgId);
        ends.push(() => resolve(DONE));
      }),
  );
  const call = async (op: Operation, orgId: string, fields: Partial<ReceivedCall> = {}): Promise<void> => {
    underWay++;
    await around(op, received(orgId, fields), () => Promise.resolve(DONE)).finally(() => underWay--);
  };
  endAll = () =>
    eventually('the end of all calls', () => {
      for (const end of ends.splice(0)) end();
      return underWay === 0;
    });
  return { call, running, ends };
}

function received(orgId: string, fields: Partial<ReceivedCall>): ReceivedCall {
  const caller: Caller = { kind: 'key', orgId, shopId: null, actorId: 'k', scopes: [], requestId: 'r' };
  return { caller, params: {}, queryString: '', headers: {}, body: Buffer.alloc(0), ...fields };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const times = (count: number, work: () => Promise<unknown>): void => {
  for (let n = 0; n < count; n++) void work();
};

it('lets one organization use half of the connections, and starts its next call when one ends', async () => {
  const { call, running, ends } = service();
  times(20, () => call(dear, 'greedy'));
  await settled();
  expect(running).toHaveLength(8);
  ends[0]?.();
  await settled();
  expect(running).toHaveLength(9);
});

it('starts the call of another organization immediately, and then limits the first to one at a time', async () => {
  const { call, running, ends } = service();
  times(20, () => call(dear, 'greedy'));
  void call(dear, 'modest');
  await settled();
  expect(running.filter((orgId) => orgId === 'modest')).toHaveLength(1);
  for (const end of ends.splice(0, 8)) end();
  const ofGreedy = (): number => running.filter((orgId) => orgId === 'greedy').length;
  await eventually('its rest to end', () => ofGreedy() > 8);
  await settled();
  expect(ofGreedy()).toBe(9);
});

it.each([
  ['a cheap operation', cheap, {}],
  ['its cheap parameters', cheap, { queryString: 'limit=5&cursor=x' }],
  ['an operation of our own processes', internal, {}],
])('takes no slot for %s', async (_what, op, fields) => {
  const { call, running } = service();
  times(300, () => call(op, 'one', fields));
  await settled();
  expect(running).toHaveLength(300);
});

it.each([
  ['another parameter', { queryString: 'limit=5&q=a' }],
  ['a parameter without a value', { queryString: 'q' }],
  ['a large body', { body: Buffer.alloc(16 * 1024 + 1) }],
  ['a document', { opened: { plain: {}, documents: new Map() } }],
])('takes a slot for a cheap operation with %s', async (_what, fields) => {
  const { call, running } = service();
  times(20, () => call(cheap, 'one', fields));
  await settled();
  expect(running).toHaveLength(8);
});

it('gives each organization one report at a time, independent of the others', async () => {
  const { call, running, ends } = service();
  times(10, () => call(report, 'greedy'));
  void call(report, 'modest');
  await settled();
  expect(running).toEqual(['greedy', 'modest']);
  ends[0]?.();
  await eventually('the next report', () => running.length === 3);
  expect(running).toEqual(['greedy', 'modest', 'greedy']);
});
