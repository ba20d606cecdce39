import * as review from '@offizin/contracts/requests/order-request-review';
import * as requests from '@offizin/contracts/requests/order-requests';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { orderRequest } from '@offizin/testkit/organization';
import { race } from '@offizin/testkit/race';
import { sharedBusSpec, databaseSpec } from '../../spec/core-spec';
import { requestHandlers, specKeys } from '../../spec/request-handlers';
import { approvalHandlers, OrderCoreFixture } from '../../spec/spec-fixture';

/** The sender of a request replaces or withdraws it, at both doors alike. */
let core: OrderCoreFixture;
const store = databaseSpec();
const connected = sharedBusSpec();

beforeAll(async () => {
  const { database } = store;
  const keys = specKeys(database);
  const approval = approvalHandlers(database, connected.bus, keys);
  core = await OrderCoreFixture.make(database, [
    ...requestHandlers(database, keys),
    [review.approveOrderRequest, (call) => approval.approve(call)],
  ]);
});

const DOORS = {
  connector: {
    submit: requests.submitExternalOrder,
    replace: requests.replaceExternalOrder,
    cancel: requests.cancelExternalOrder,
  },
  organization: {
    submit: requests.submitOrderRequest,
    replace: requests.replaceOrderRequest,
    cancel: requests.cancelOrderRequest,
  },
} as const;
const EACH_DOOR = Object.entries(DOORS);

let references = 0;

/** A request that was handed in at this door, and what its sender does with it there. */
async function sent({ submit, replace, cancel }: (typeof DOORS)[keyof typeof DOORS] = DOORS.connector) {
  const envelope = { external_reference: `sent-${(references += 1)}`, source: 'telemedicine' };
  const bodyOf = (fields: object) => orderRequest({ shop_id: core.shopId, ...fields }, envelope);
  const { id } = (await core.call(submit, { body: bodyOf({}) })).body;
  const params = { requestId: id };
  return {
    id,
    params,
    envelope,
    replace: (fields: object = {}) => core.call(replace, { params, body: bodyOf(fields) }),
    cancel: (reason = 'customer_request', more: object = {}) =>
      core.call(cancel, { params, body: { reason, ...more } }),
    approve: (version?: number) =>
      core.call(review.approveOrderRequest, { params, body: version === undefined ? {} : { version } }),
    reject: () => core.call(review.rejectOrderRequest, { params, body: { reason: 'other' } }),
    ask: () => core.call(review.requestClarification, { params, body: { question: 'Which?' } }),
    detail: async () => (await core.call(review.getOrderRequest, { params })).body,
    events: async () => (await core.eventsOf(id)).map(({ event_type }) => event_type),
  };
}

interface Outcome {
  status: number | null;
  body: { error?: string | undefined; status?: string };
}
const said = ({ status, body }: Outcome) => `${status} ${body.error ?? body.status ?? ''}`;
/** Of calls of different operations. */
const outcomeOf = (sending: Promise<Outcome>): Promise<Outcome> => sending;

const firstApproval = statement<{ first: string | null }, [string]>(
  'spec_first_approval',
  'SELECT first_approved_by AS first FROM core.order_requests WHERE id = $1',
);
const approveFirst = statement<never, [string]>(
  'spec_approve_first',
  'UPDATE core.order_requests SET first_approved_by = id, first_approved_at = now() WHERE id = $1',
);
const audited = statement<{ action: string }, [string]>(
  'spec_audit_of_sender',
  `SELECT action FROM core.audit_log WHERE object = 'order-request:' || $1 AND action <> 'order-request.read'
   ORDER BY position`,
);
const counted = statement<{ orders: number }, [string]>(
  'spec_orders_of_request',
  'SELECT count(*)::int AS orders FROM core.orders WHERE order_request_id = $1',
);

describe.each(EACH_DOOR)('at the door of the %s, a replacement', (_, door) => {
  it('is the next version, once; decisions about the version before are refused', async () => {
    const request = await sent(door);
    for (const answer of [
      await request.replace({ customer_name: 'Max' }),
      await request.replace({ customer_name: 'Max' }),
    ])
      expect(answer).toMatchObject({
        status: 200,
        body: { id: request.id, status: 'pending', external_reference: request.envelope.external_reference },
      });
    const { version, versions, customer_name } = await request.detail();
    expect([version, versions.map(({ payload }) => payload['customer_name'])]).toEqual([
      2,
      ['Erika Mustermann', 'Max'],
    ]);
    expect(customer_name).toBe('Max');
    expect(await request.events()).toEqual(['order_request_submitted', 'order_request_submitted']);
    expect(said(await request.approve(1))).toBe('409 conflict');
    // The first content again is no repeat: the sender says what it wants now.
    expect(said(await request.replace())).toBe('200 pending');
    expect((await request.detail()).version).toBe(3);
    expect(said(await request.approve(3))).toBe('200 approved');
    const actions = (await store.database.rows(audited, request.id)).map(({ action }) => action);
    const [submit, replace] = ['order-request.submit', 'order-request.replace'];
    expect(actions).toEqual([submit, replace, replace, 'order-request.approve']);
  });

  it('answers an open question, and takes a first approval away', async () => {
    const request = await sent(door);
    await request.ask();
    expect(said(await request.replace())).toBe('200 needs_clarification');
    expect(said(await request.replace({ customer_name: 'Max' }))).toBe('200 pending');
    expect((await request.detail()).question).toBeNull();
    await store.database.rows(approveFirst, request.id);
    await request.replace({ customer_name: 'Mia' });
    expect(await store.database.rows(firstApproval, request.id)).toEqual([{ first: null }]);
  });

  it('keeps reference, source and shop, given or not', async () => {
    const { params, envelope, detail } = await sent(door);
    const replace = (more: Record<string, unknown>, payload: object = {}) =>
      core.call(door.replace, { params, body: orderRequest({ shop_id: core.shopId, ...payload }, more) });
    const refused = await replace({ external_reference: 'another', source: 'another' });
    expect(refused.body.details?.map(({ field }) => field)).toEqual(['source', 'external_reference']);
    const elsewhere = await replace(envelope, { shop_id: core.otherShopId });
    expect(elsewhere.body.details?.map(({ field }) => field)).toEqual(['payload.shop_id']);
    expect(said(await replace({}))).toBe('200 pending');
    expect(await detail()).toMatchObject({ ...envelope, version: 1 });
  });
});

describe.each(EACH_DOOR)('at the door of the %s, a withdrawal', (_, door) => {
  it('is final, with its reason; the same again is the same', async () => {
    const request = await sent(door);
    const message = 'The customer has moved.';
    for (const answer of [await request.cancel('customer_request', { message }), await request.cancel()])
      expect(answer).toMatchObject({ status: 200, body: { id: request.id, status: 'cancelled' } });
    expect(await request.detail()).toMatchObject({
      status: 'cancelled',
      reason: 'customer_request',
      note: message,
    });
    const { metadata } = (await core.eventsOf(request.id)).at(-1) ?? {};
    expect(metadata).toMatchObject({ status: 'cancelled', reason: 'customer_request', sequence: 2 });
    for (const late of [
      request.cancel('other'),
      request.replace(),
      request.approve(),
      request.reject(),
      request.ask(),
    ])
      expect(said(await late)).toBe('409 already_decided');
    expect(await request.events()).toEqual(['order_request_submitted', 'order_request_cancelled']);
    const actions = await store.database.rows(audited, request.id);
    expect(actions.at(-1)).toEqual({ action: 'order-request.cancel' });
    const staff = await core.call(review.rejectOrderRequest, {
      params: request.params,
      body: { reason: 'other' },
      caller: core.staff(),
    });
    expect(staff.body.message).toContain('already cancelled by API key ERP');
  });

  it('ends an open question, and comes too late after a decision', async () => {
    const asked = await sent(door);
    await asked.ask();
    expect(said(await asked.cancel('other'))).toBe('200 cancelled');
    const [approved, rejected] = [await sent(door), await sent(door)];
    await approved.approve();
    await rejected.reject();
    for (const late of [approved.cancel(), approved.replace({ customer_name: 'Max' })]) {
      const answer = await late;
      expect([said(answer), answer.body.message]).toEqual([
        '409 already_decided',
        expect.stringContaining('Ask the pharmacy'),
      ]);
    }
    for (const late of [rejected.cancel(), rejected.replace()])
      expect(said(await late)).toBe('409 already_decided');
  });

  it('needs a known reason, and a request that is there', async () => {
    const { id, cancel } = await sent(door);
    for (const wrong of [cancel('whim'), cancel('other', { message: 7 }), cancel('other', { note: 'x' })])
      expect(said(await wrong)).toBe('400 invalid_request');
    const unknown = (requestId: string) =>
      core.call(door.cancel, { params: { requestId }, body: { reason: 'other' } });
    for (const requestId of [newId(), `${id}x`]) expect(said(await unknown(requestId))).toBe('404 not_found');
  });
});

describe('in a race', () => {
  it('either the approval or the withdrawal holds', async () => {
    for (let round = 0; round < 5; round += 1) {
      const request = await sent();
      const answers = await race(50, (n) => outcomeOf(n % 2 === 0 ? request.cancel() : request.approve()));
      const { status } = await request.detail();
      const outcomes = new Set(answers.map(said));
      expect(outcomes).toEqual(new Set([`200 ${status}`, '409 already_decided']));
      const [{ orders } = { orders: -1 }] = await store.database.rows(counted, request.id);
      expect([status, orders]).toEqual(orders === 1 ? ['approved', 1] : ['cancelled', 0]);
      expect(await request.events()).toHaveLength(2);
    }
  });

  it('every replacement is a version, and an approval is of one that was sent', async () => {
    const request = await sent();
    const answers = await race(50, (n) => request.replace({ customer_name: `Name ${n}` }));
    expect(new Set(answers.map(said))).toEqual(new Set(['200 pending']));
    expect((await request.detail()).version).toBe(51);
    const mixed = await race(50, (n) =>
      outcomeOf(n % 2 === 0 ? request.replace({ customer_name: `Next ${n}` }) : request.approve(51)),
    );
    const approvals = mixed.filter(({ status }, n) => n % 2 === 1 && status === 200);
    const { status, version } = await request.detail();
    expect([status, version]).toEqual(approvals.length > 0 ? ['approved', 51] : ['pending', 76]);
  });
});
