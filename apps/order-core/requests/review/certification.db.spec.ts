import type { Caller } from '@offizin/contracts/calls/caller';
import type { Operation } from '@offizin/contracts/calls/operation';
import { addExternalDocument } from '@offizin/contracts/requests/added-documents';
import * as certification from '@offizin/contracts/requests/certification';
import { STEP_NAMES } from '@offizin/contracts/requests/certification-steps';
import { acceptExternalOffer } from '@offizin/contracts/requests/offers';
import { listExternalOrders } from '@offizin/contracts/requests/external-orders';
import * as api from '@offizin/contracts/requests/order-requests';
import { newId } from '@offizin/pg/ids';
import { makePdf } from '@offizin/testkit/pdf';
import { insertKey } from '../../people/directory/keys.store';
import { catalogSpec } from '../../spec/fake-catalog';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { testShop } from '../../spec/test-shop';
import { openSteps } from '../intake/certification.store';
import { decideDue, type Deciders } from './test-decisions';

const test = catalogSpec();
let core: OrderCoreFixture;
let deciders: Deciders;
let testShopId: string;
let partner: Caller;

beforeEach(async () => {
  ({ core, deciders, testShopId } = await testShop(test.database, test.bus));
  partner = await newPartner();
});

/** As the edge marks a caller at a test shop. */
async function newPartner(): Promise<Caller> {
  return { ...(await core.integration('Telemed', testShopId)), atTestShop: true };
}

type Request = Parameters<OrderCoreFixture['call']>[1];
async function call<O extends Operation>(op: O, request: Request = {}) {
  const caller = { ...(request.caller ?? partner), requestId: newId() };
  return { ...(await core.call(op, { ...request, caller })), requestId: caller.requestId };
}

const envelope = (external_reference: string, fields: object = {}) => {
  const items = [{ name: 'Tee', quantity: 2, price: 3 }];
  return { external_reference, payload: { customer_email: 'a@example.org', items, ...fields } };
};
const submit = async (reference: string, fields: object = {}, caller = partner): Promise<string> =>
  (await call(api.submitExternalOrder, { body: envelope(reference, fields), caller })).body.id;
const read = (requestId: string, caller = partner) =>
  call(api.readExternalOrder, { params: { requestId }, caller });
const find = (reference: string) => call(api.findExternalOrder, { query: `external_reference=${reference}` });
const replace = (requestId: string, reference: string, fields: object = {}) =>
  call(api.replaceExternalOrder, { params: { requestId }, body: envelope(reference, fields) });
const cancel = (requestId: string) =>
  call(api.cancelExternalOrder, { params: { requestId }, body: { reason: 'sent_by_mistake' } });
const PDF = { kind: 'other', pdf_base64: makePdf().toString('base64') };
const addDocument = (requestId: string) => call(addExternalDocument, { params: { requestId }, body: PDF });
const deliver = (status: number | null, is_forged: boolean, by = partner) =>
  core.call(certification.observeDelivery, {
    body: { ...ownerOf(by), delivery_id: newId(), is_forged, status },
  });
const ownerOf = ({ orgId, shopId, actorId }: Caller) => {
  return { org_id: orgId, shop_id: shopId ?? '', integration_id: actorId };
};
const decide = () => decideDue(test.database, deciders, 0);

const certificationOf = async (caller = partner) =>
  (await core.call(certification.readCertification, { caller })).body;
async function done(caller = partner): Promise<string[]> {
  const { steps } = await certificationOf(caller);
  return steps.flatMap(({ name, done_at: at }) => (at === null ? [] : [name]));
}

const accept = (requestId: string) => call(acceptExternalOffer, { params: { requestId }, body: {} });
async function offered(reference: string): Promise<string> {
  const id = await submit(reference);
  await decide();
  return id;
}

async function decidedAndRead(reference: string): Promise<void> {
  const id = await submit(reference);
  await decide();
  await read(id);
}

type Act = [step: string, act: () => Promise<unknown>];
const ACTS: Act[] = [
  ['submitted', () => submit('x-1')],
  ['repeated', () => submit('x-1')],
  ['read_back', () => find('x-1')],
  ['listed', () => call(listExternalOrders)],
  [
    'answered',
    async () => {
      await submit('ask-1');
      await decide();
      await submit('ask-1', { customer_name: 'Answered' });
    },
  ],
  ['replaced', async () => replace(await submit('x-2'), 'x-2', { customer_name: 'Next' })],
  ['added_document', async () => addDocument(await submit('x-3'))],
  ['withdrew', async () => cancel(await submit('x-4'))],
  ['saw_correction', () => decidedAndRead('correct-1')],
  ['accepted_offer', async () => accept(await offered('offer-1'))],
  ...api.REJECTION_REASONS.map((reason): Act => {
    return [`saw_rejected_${reason}`, () => decidedAndRead(`reject-${reason}-1`)];
  }),
  ['met_409', () => submit('x-4', { customer_name: 'Other' })],
  ['met_429', () => submit('busy-1')],
  ['met_502', () => submit('down-1')],
  ['took_callback', () => deliver(200, false)],
  ['refused_forgery', () => deliver(401, true)],
  [
    'followed_to_parcel',
    async () => {
      const id = await submit('ship-1', { shipping_option: 'Versand' });
      for (let count = 0; count < 3; count += 1) await decide();
      await read(id);
    },
  ],
];

it('ticks each step when it is done, and no other', async () => {
  expect(ACTS.map(([step]) => step)).toEqual(STEP_NAMES);
  expect(await certificationOf()).toMatchObject({ complete: false, test: true });
  expect(await done()).toEqual([]);
  const ticked: string[] = [];
  for (const [step, act] of ACTS) {
    await act();
    expect(await done()).toEqual([...ticked, step]);
    ticked.push(step);
  }
  expect((await certificationOf()).complete).toBe(true);
});

it('ticks nothing for what only looks like a step', async () => {
  const id = await submit('x-1');
  await addDocument(id);
  await cancel(id);
  await core.call(certification.restartCertification, { caller: partner });
  await replace(id, 'x-1', { customer_name: 'Too late' });
  await cancel(id);
  await addDocument(id);
  await call(api.submitExternalOrder, { body: {} });
  await read(newId());
  await find('nothing');
  await deliver(500, false);
  await deliver(200, true);
  await deliver(null, true);
  // The replacement was too late.
  expect(await done()).toEqual(['met_409']);
});

it('ticks no answer to a question, and no second acceptance, for what follows an offer', async () => {
  const [replacedId, acceptedId] = [await offered('offer-1'), await offered('offer-2')];
  await accept(acceptedId);
  await core.call(certification.restartCertification, { caller: partner });
  expect((await accept(acceptedId)).status).toBe(200);
  expect((await replace(replacedId, 'offer-1', { customer_name: 'Next' })).status).toBe(200);
  expect(await done()).toEqual(['replaced']);
});

it('keeps the first call of each step, and begins again', async () => {
  const first = await call(api.submitExternalOrder, { body: envelope('x-1') });
  await submit('x-2');
  const { steps } = await certificationOf();
  expect(steps[0]).toMatchObject({ name: 'submitted', request_id: first.requestId });
  expect(Date.now() - Date.parse(steps[0]?.done_at ?? '')).toBeLessThan(60_000);
  expect((await core.call(certification.restartCertification, { caller: partner })).status).toBe(204);
  expect(await done()).toEqual([]);
  expect(await core.actionsOn(`certification:${partner.actorId}:${testShopId}`)).toEqual([
    'certification.restart',
  ]);
  await submit('x-3');
  expect(await done()).toEqual(['submitted']);
});

it('belongs to an integration and a test shop, and lasts over a rotation', async () => {
  const other = await newPartner();
  // A mark of the edge that is wrong certifies nothing either.
  const real = { ...partner, shopId: core.shopId };
  await submit('x-1', {}, real);
  await deliver(200, false, real);
  expect(await done(real)).toEqual([]);
  expect('test' in (await certificationOf(real))).toBe(false);
  await submit('x-1', {}, other);
  expect([await done(), await done(other)]).toEqual([[], ['submitted']]);
  const id = newId();
  const successor = { id, name: 'Next', kind: 'int', hash: id, shopId: null, expiresAt: null } as const;
  await insertKey(test.database, core.orgId, { ...successor, scopes: [], replaces: other.actorId });
  const next = { ...other, actorId: id };
  await read(await submit('x-1', {}, next), next);
  expect(await done(other)).toEqual(['submitted', 'repeated', 'read_back']);
  expect(await done(next)).toEqual(await done(other));
});

it('is read by the organization of the key alone', async () => {
  await submit('x-1');
  const foreign = await OrderCoreFixture.make(test.database);
  const readOfKey = (keyId: string, shopId: string, caller = core.key()) =>
    core.call(certification.readKeyCertification, {
      params: { keyId },
      query: `shop_id=${shopId}`,
      caller,
    });
  const own = await readOfKey(partner.actorId, testShopId);
  expect(own).toMatchObject({ status: 200, body: await certificationOf() });
  expect(own.body.steps[0]?.done_at).not.toBeNull();
  const none = await readOfKey(core.keyId, testShopId);
  expect(none.body.steps.map(({ done_at: at }) => at)).toEqual(STEP_NAMES.map(() => null));
  for (const answer of [
    await readOfKey(partner.actorId, testShopId, foreign.key()),
    await readOfKey(foreign.keyId, testShopId),
    await readOfKey(partner.actorId, foreign.shopId),
    await readOfKey('x', testShopId),
    await readOfKey(partner.actorId, 'x'),
  ])
    expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } });
  const body = { ...ownerOf(partner), org_id: foreign.orgId, delivery_id: newId(), is_forged: false };
  await core.call(certification.observeDelivery, { body: { ...body, status: 200 } });
  expect(await done()).toEqual(['submitted']);
});

it('awaits each step of callbacks until it is done', async () => {
  const steps = ['took_callback', 'refused_forgery'] as const;
  const of = { orgId: core.orgId, shopId: testShopId, integrationId: partner.actorId, steps };
  const open = async () => (await openSteps(test.database, of)).sort();
  expect(await open()).toEqual(['refused_forgery', 'took_callback']);
  await deliver(200, false);
  expect(await open()).toEqual(['refused_forgery']);
  await deliver(401, true);
  expect(await open()).toEqual([]);
});
