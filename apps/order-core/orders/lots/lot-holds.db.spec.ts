import type { Caller } from '@offizin/contracts/calls/caller';
import { holdLot, liftLotHold, listLotHolds, MAX_LOT_HOLDS } from '@offizin/contracts/orders/lot-holds';
import { setLots } from '@offizin/contracts/orders/lots';
import { newId } from '@offizin/pg/ids';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { revokeKey } from '../../people/directory/keys.store';
import { databaseSpec } from '../../spec/core-spec';
import { OrderCoreFixture, silentRelay } from '../../spec/spec-fixture';
import { LotHoldsHandlers } from './lot-holds.handlers';
import { LotsHandlers } from './lots.handlers';

const test = databaseSpec();
let core: OrderCoreFixture;
let other: OrderCoreFixture;

beforeEach(async () => {
  const { database } = test;
  const further = handlersIn(
    new LotsHandlers(database, silentRelay()),
    new LotHoldsHandlers(database, silentRelay()),
  );
  core = await OrderCoreFixture.make(database, further);
  other = await OrderCoreFixture.make(database, further);
});

const HOLD = { p1_id: 'P-SALBE', lot: 'ch4711', reason: 'Recall of 2 March' };

interface By {
  of?: OrderCoreFixture;
  caller?: Caller;
}

function hold(fields: object = {}, { of = core, caller = of.key() }: By = {}) {
  return of.call(holdLot, { body: { ...HOLD, ...fields }, caller });
}

const lift = (holdId: string, { of = core, caller = of.key() }: By = {}) =>
  of.call(liftLotHold, { params: { holdId }, caller });
const held = async (of = core) => (await of.call(listLotHolds)).body.data;

async function order(p1_id: string | null = 'P-SALBE'): Promise<string> {
  return (await core.upsert(newId(), { items: [{ p1_id, name: 'Salbe', qty: 3, price: 2 }] })).body.id;
}

function pack(orderId: string, lot: string, quantity = 1) {
  const lots = [{ line: 1, lot, expires_on: '2099-01-31', quantity }];
  return core.call(setLots, { params: { orderId }, body: { lots } });
}

it('a hold is listed, written to the audit log, and announced by ids only', async () => {
  const { status, body } = await hold();
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(String),
      p1_id: 'P-SALBE',
      lot: 'CH4711',
      reason: 'Recall of 2 March',
      held_by: `key:${core.keyId}`,
      held_at: expect.stringMatching(/^20.*Z$/),
    },
  ]);
  const { body: newer } = await hold({ lot: 'X-2' });
  expect(await held()).toEqual([newer, body]);
  expect(await core.actionsOn(`lot-hold:${body.id}`)).toEqual(['lot.hold']);
  const events = await core.eventsOf(body.id);
  expect(events).toEqual([
    {
      event_type: 'lot_held',
      sequence: 1,
      topic: 'plain',
      metadata: { hold_id: body.id, p1_id: 'P-SALBE', sequence: 1 },
    },
  ]);
});

it('the same hold again is a 200 that changes nothing, also of 20 at the same time; another reason is a 409', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => hold()));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
  const [first] = await held();
  expect(new Set(answers.map(({ body }) => body.id))).toEqual(new Set([first?.id]));
  expect(await core.eventsOf(first?.id ?? '')).toHaveLength(1);
  const refused = await hold({ reason: 'Glass in the tin' });
  expect([refused.status, refused.body.error]).toEqual([409, 'conflict']);
  expect((await hold({ p1_id: 'P-TEE' })).status).toBe(201);
});

it('a hold is lifted once', async () => {
  const { body } = await hold();
  expect((await lift(body.id)).status).toBe(204);
  expect(await held()).toEqual([]);
  for (const id of [body.id, newId(), 'no-id']) expect((await lift(id)).status).toBe(404);
  expect(await core.actionsOn(`lot-hold:${body.id}`)).toEqual(['lot.hold', 'lot.lift-hold']);
  const { body: again } = await hold();
  expect(again.id).not.toBe(body.id);
});

it('an order takes no lot that is on hold, and says why; what it had before stays', async () => {
  const [before, id] = [await order(), await order()];
  expect((await pack(before, 'CH4711')).status).toBe(200);
  const { body } = await hold();
  const refused = await pack(id, 'Ch4711');
  expect([refused.status, refused.body.error, refused.body.message]).toEqual([
    409,
    'lot_on_hold',
    'Lot CH4711 of line 1 is on hold (Recall of 2 March): take a pack of another lot.',
  ]);
  expect((await core.order(id)).lots).toEqual([]);
  expect(await core.historyOf(id)).toHaveLength(1);
  expect((await pack(before, 'CH4711')).status).toBe(200);
  expect((await pack(before, 'CH4711', 2)).status).toBe(409);
  const twice = [1, 2].map(() => ({ line: 1, lot: 'CH4711', expires_on: '2099-01-31', quantity: 1 }));
  expect((await core.call(setLots, { params: { orderId: before }, body: { lots: twice } })).status).toBe(409);
  const corrected = [{ line: 1, lot: 'CH4711', expires_on: '2099-02-28', quantity: 1 }];
  expect((await core.call(setLots, { params: { orderId: before }, body: { lots: corrected } })).status).toBe(
    200,
  );
  expect((await pack(id, 'CH4712')).status).toBe(200);
  await lift(body.id);
  expect((await pack(id, 'CH4711')).status).toBe(200);
});

it('a hold counts for its product, and for lines that name none', async () => {
  await hold({ p1_id: 'P-TEE' });
  expect((await pack(await order(), 'CH4711')).status).toBe(200);
  expect((await pack(await order(null), 'CH4711')).body.error).toBe('lot_on_hold');
  expect((await pack(await order(null), 'CH4712')).status).toBe(200);
});

it('a hold that is put and lifted while people pack: each lot is written whole or refused', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => order()));
  const putAndLifted = (async () => {
    for (let round = 0; round < 5; round++) await lift((await hold()).body.id);
    return hold();
  })();
  const answers = await Promise.all(ids.map((id) => pack(id, 'CH4711')));
  const statuses = answers.map(({ status, body }) => `${status} ${body.error ?? ''}`.trim());
  expect(statuses.filter((status) => status !== '200' && status !== '409 lot_on_hold')).toEqual([]);
  for (const [index, id] of ids.entries())
    expect((await core.order(id)).lots).toHaveLength(statuses[index] === '200' ? 1 : 0);
  expect((await putAndLifted).status).toBe(201);
  expect((await pack(await order(), 'CH4711')).body.error).toBe('lot_on_hold');
});

it.each([
  [{ lot: '' }, 'lot'],
  [{ lot: 'A'.repeat(21) }, 'lot'],
  [{ lot: 'A\u0007' }, 'lot'],
  [{ reason: '' }, 'reason'],
  [{ reason: 'x'.repeat(201) }, 'reason'],
  [{ p1_id: '' }, 'p1_id'],
  [{ until: '2030-01-01' }, 'until'],
])('%j is a 400 that names %s', async (fields, field) => {
  const { status, body } = await hold(fields);
  expect([status, body.details?.map((problem) => problem.field)]).toEqual([400, [field]]);
  expect(await held()).toEqual([]);
});

it('is for order_requests.review, of the own organization, with a live key; clerks read holds', async () => {
  const { body } = await hold();
  const clerk = core.staff('clerk');
  expect((await hold({ lot: 'B' }, { caller: clerk })).status).toBe(403);
  expect((await lift(body.id, { caller: clerk })).status).toBe(403);
  expect((await core.call(listLotHolds, { caller: clerk })).body.data).toEqual([body]);
  expect((await lift(body.id, { of: other })).status).toBe(404);
  expect(await held(other)).toEqual([]);
  expect((await hold({ lot: 'B' }, { caller: core.staff() })).status).toBe(201);
  await revokeKey(test.database, core.orgId, core.keyId);
  expect((await hold()).status).toBe(401);
  expect((await lift(body.id)).status).toBe(401);
});

it('an organization has a limited number of holds', async () => {
  for (let n = 0; n < MAX_LOT_HOLDS - 1; n++) await hold({ lot: `L${n}` });
  const answers = await Promise.all(['A', 'B', 'C'].map((lot) => hold({ lot })));
  expect(answers.map(({ status, body }) => body.error ?? status).sort()).toEqual([
    201,
    'conflict',
    'conflict',
  ]);
  expect(await held()).toHaveLength(MAX_LOT_HOLDS);
});
