import * as review from '@offizin/contracts/requests/order-request-review';
import * as requests from '@offizin/contracts/requests/order-requests';
import { statement } from '@offizin/pg/database';
import { orderRequest } from '@offizin/testkit/organization';
import { race } from '@offizin/testkit/race';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { expireOld } from './expiry';
import { requestHandlers, specKeys } from '../../spec/request-handlers';
import { databaseSpec, sharedBusSpec } from '../../spec/core-spec';

let core: OrderCoreFixture;
let references = 0;
const store = databaseSpec();
const connected = sharedBusSpec();

beforeAll(async () => {
  const { database } = store;
  core = await OrderCoreFixture.make(database, requestHandlers(database, specKeys(database), connected.bus));
});

interface Submitted {
  id: string;
  send: (payload?: object) => ReturnType<typeof submit>;
}

function submit(external_reference: string | null, payload: object = {}) {
  const body = orderRequest({ ...payload }, { external_reference });
  return core.call(requests.submitExternalOrder, { body });
}

async function submitted(): Promise<Submitted> {
  const reference = `ref-${(references += 1)}`;
  const send = (payload?: object) => submit(reference, payload);
  return { id: (await send()).body.id, send };
}

const ask = (requestId: string, question = 'Which dose?') =>
  core.call(review.requestClarification, { params: { requestId }, body: { question } });
const detail = async (requestId: string) =>
  (await core.call(review.getOrderRequest, { params: { requestId } })).body;
const approve = (requestId: string, body: object = {}) =>
  core.call(review.approveOrderRequest, { params: { requestId }, body });
const reject = (requestId: string) =>
  core.call(review.rejectOrderRequest, { params: { requestId }, body: { reason: 'other' } });

const TWICE = { items: [{ name: 'Salbe', quantity: 4, price: 3.5 }] };

const auditOf = async (id: string): Promise<string[]> => {
  const ofOthers = ['order-request.read', 'order-request.submit'];
  return (await core.actionsOn(`order-request:${id}`)).filter((action) => !ofOthers.includes(action));
};
const makeOld = statement<never, [string, number]>(
  'spec_make_old',
  `UPDATE core.order_requests SET created_at = now() - make_interval(days => $2) WHERE id = $1`,
);
const copyOld = statement<never, [string, number]>(
  'spec_copy_old',
  `INSERT INTO core.order_requests (id, org_id, shop_id, source, total_amount, payload_ciphertext, payload_digest,
                                    created_at)
   SELECT gen_random_uuid(), org_id, shop_id, source, total_amount, payload_ciphertext, payload_digest,
          now() - interval '30 days'
   FROM core.order_requests, generate_series(1, $2) WHERE id = $1`,
);
const ordersOf = statement<{ total_amount: number }, [string]>(
  'spec_orders',
  `SELECT total_amount::float8 AS total_amount FROM core.orders WHERE order_request_id = $1`,
);

describe('an answer to a question', () => {
  it('becomes the next version exactly once when equal answers race', async () => {
    const { id, send } = await submitted();
    await ask(id);
    const answers = await race(100, () => send(TWICE));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.status} ${body.id}`))).toEqual(
      new Set([`200 pending ${id}`]),
    );
    const { version, versions, question, total_amount } = await detail(id);
    expect({ version, question, total_amount }).toEqual({ version: 2, question: null, total_amount: 14 });
    expect(versions.map(({ number, question: asked }) => [number, asked])).toEqual([
      [1, 'Which dose?'],
      [2, null],
    ]);
    expect(versions.map(({ payload }) => payload['items'])).toEqual([
      orderRequest().payload['items'],
      TWICE.items,
    ]);
    const events = await core.eventsOf(id);
    expect(events.map(({ event_type, sequence }) => [event_type, sequence])).toEqual([
      ['order_request_submitted', 1],
      ['order_request_clarification', 2],
      ['order_request_submitted', 3],
    ]);
  });

  it('is accepted once when different answers race; the others are refused', async () => {
    const { id, send } = await submitted();
    await ask(id);
    const answers = await race(100, (n) => send({ customer_email: `kunde-${n}@example.org` }));
    const taken = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ body }) => body.error === 'reference_conflict');
    expect([taken.length, refused.length]).toEqual([1, 99]);
    expect((await detail(id)).versions).toHaveLength(2);
  });

  it('is not accepted when its payload equals an earlier version', async () => {
    const { id, send } = await submitted();
    await ask(id);
    const repeat = await send();
    expect([repeat.status, repeat.body.status]).toEqual([200, 'needs_clarification']);
    await send(TWICE);
    await ask(id, 'And now?');
    // A late repeat of the first request must not replace the second.
    const late = await send();
    expect([late.status, late.body.status]).toEqual([200, 'needs_clarification']);
    expect((await detail(id)).version).toBe(2);
  });

  it('is refused before a question and after the question was withdrawn', async () => {
    const { id, send } = await submitted();
    expect((await send(TWICE)).body.error).toBe('reference_conflict');
    await ask(id);
    await core.call(review.withdrawClarification, { params: { requestId: id } });
    expect((await send(TWICE)).body.error).toBe('reference_conflict');
    expect((await detail(id)).versions).toHaveLength(1);
  });

  it('racing an approval never makes an order from an outdated version', async () => {
    for (let round = 0; round < 30; round += 1) {
      const { id, send } = await submitted();
      const partner = async () => {
        await ask(id);
        await send(TWICE);
      };
      const [approval] = await Promise.all([approve(id), partner()]);
      const orders = await store.database.rows(ordersOf, id);
      const { status, total_amount } = await detail(id);
      expect(orders).toEqual(status === 'approved' ? [{ total_amount }] : []);
      expect(approval.status === 200).toBe(status === 'approved');
    }
  });

  it.each([
    ['an approval', review.approveOrderRequest, {}],
    ['a rejection', review.rejectOrderRequest, { reason: 'other' as const }],
    ['a question', review.requestClarification, { question: 'Which one?' }],
  ] as const)(
    'makes %s of the previous version fail, which names the present one',
    async (_, op, decision) => {
      const { id, send } = await submitted();
      await ask(id);
      await send(TWICE);
      const decide = (version: number) =>
        core.call(op, { params: { requestId: id }, body: { ...decision, version } });
      const stale = await decide(1);
      expect([stale.status, stale.body.error]).toEqual([409, 'conflict']);
      expect(stale.body.details).toEqual([{ field: 'version', message: '2' }]);
      expect((await detail(id)).status).toBe('pending');
      const fresh = await decide(2);
      expect(fresh.status).toBe(200);
      // The same again is the first result, and no refusal.
      expect((await decide(2)).body).toEqual(fresh.body);
    },
  );
});

describe('a question', () => {
  it('returns the first result when repeated; a different question is refused', async () => {
    const { id } = await submitted();
    const [first, again] = [await ask(id), await ask(id)];
    expect(again.body).toEqual(first.body);
    const other = await ask(id, 'Another one?');
    expect([other.status, other.body.error]).toEqual([409, 'already_decided']);
    expect(await auditOf(id)).toEqual(['order-request.request-clarification']);
    const { status, body } = await approve(id);
    expect([status, body.error]).toEqual([409, 'invalid_transition']);
    expect(body.message).toContain('withdraw-clarification');
  });

  it.each(['', '  \n '])('cannot be %j', async (question) => {
    const { id } = await submitted();
    expect((await ask(id, question)).body.error).toBe('invalid_request');
    expect((await detail(id)).status).toBe('pending');
  });

  it('can be asked about a request without reference, and answered by its id', async () => {
    const { id } = (await submit(null)).body;
    await ask(id);
    const progress = await core.call(requests.readExternalOrder, { params: { requestId: id } });
    expect(progress.body).toMatchObject({ status: 'needs_clarification', question: 'Which dose?' });
    const answer = { params: { requestId: id }, body: orderRequest({ ...TWICE }) };
    expect((await core.call(requests.replaceExternalOrder, answer)).body.status).toBe('pending');
    const after = await core.call(requests.readExternalOrder, { params: { requestId: id } });
    expect(after.body.question).toBeNull();
  });
});

describe('expiry', () => {
  it('affects only undecided requests that are too old', async () => {
    const [old, asked, young, decided] = await Promise.all([
      submitted(),
      submitted(),
      submitted(),
      submitted(),
    ]);
    await ask(asked.id);
    await approve(decided.id);
    for (const { id } of [old, asked, decided]) await store.database.rows(makeOld, id, 29);
    await store.database.rows(makeOld, young.id, 27);
    expect(await expireOld(store.database, 28)).toBe(2);
    const statuses = await Promise.all(
      [old, asked, young, decided].map(async ({ id }) => (await detail(id)).status),
    );
    expect(statuses).toEqual(['expired', 'expired', 'pending', 'approved']);
    expect(await auditOf(old.id)).toEqual(['order-request.expire']);
    expect((await core.eventsOf(old.id)).map(({ event_type: type }) => type)).toEqual([
      'order_request_submitted',
      'order_request_expired',
    ]);
    expect((await approve(old.id)).body.error).toBe('already_decided');
    expect((await asked.send(TWICE)).body.error).toBe('reference_conflict');
  });

  it('skips a request whose row is locked by a decision', async () => {
    const { id } = await submitted();
    await store.database.rows(makeOld, id, 40);
    await store.database.transaction(async (tx) => {
      await tx.rows(lockRow, id);
      expect(await expireOld(store.database, 28)).toBe(0);
    });
    expect(await expireOld(store.database, 28)).toBe(1);
  });
  const lockRow = statement<{ id: string }, [string]>(
    'spec_lock_row',
    `SELECT id FROM core.order_requests WHERE id = $1 FOR UPDATE`,
  );

  it('processes hundreds in one call', async () => {
    await store.database.rows(copyOld, (await submitted()).id, 450);
    const both = await Promise.all([expireOld(store.database, 28), expireOld(store.database, 28)]);
    const rest = await expireOld(store.database, 28);
    expect(both.reduce((sum, count) => sum + count, rest)).toBe(450);
  });
});

it('yields one consistent history when approval, rejection, question and expiry race', async () => {
  for (let round = 0; round < 40; round += 1) {
    const { id } = await submitted();
    await store.database.rows(makeOld, id, 40);
    const work = [() => approve(id), () => reject(id), () => ask(id)];
    // Rotates which of the three starts first.
    const started = [...work.slice(round % 3), ...work.slice(0, round % 3)].map((start) => start());
    const [expired] = await Promise.all([expireOld(store.database, 28), ...started]);
    const { status, order_id } = await detail(id);
    const orders = await store.database.rows(ordersOf, id);
    expect(orders).toHaveLength(status === 'approved' ? 1 : 0);
    expect(order_id === null).toBe(status !== 'approved');
    expect(status === 'expired').toBe(expired === 1);
    const sequences = (await core.eventsOf(id)).map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  }
});

it('stores corrections by staff next to the partner’s values', async () => {
  const { id } = await submitted();
  const items = [{ name: 'Salbe', qty: 1, price: 3.5, p1_id: null }];
  expect((await approve(id, { customer_name: 'Erika Musterfrau', items })).status).toBe(200);
  const { corrections, payload } = await detail(id);
  expect(payload).toEqual(orderRequest().payload);
  expect(corrections).toEqual({
    sent: {
      customer_name: 'Erika Mustermann',
      total_amount: 7,
      items: [{ p1_id: null, name: 'Salbe', quantity: 2, price: 3.5 }],
    },
    approved: {
      customer_name: 'Erika Musterfrau',
      total_amount: 3.5,
      items: [{ p1_id: null, name: 'Salbe', quantity: 1, price: 3.5 }],
    },
  });
});

it('stores no correction when an approval repeats the partner’s values', async () => {
  const { id } = await submitted();
  await approve(id, { customer_name: 'Erika Mustermann' });
  expect((await detail(id)).corrections).toBeNull();
});
