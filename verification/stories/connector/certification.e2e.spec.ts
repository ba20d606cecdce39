import { verifyCallback } from '../../../clients/typescript/src/verify-webhook';
import type { CallbackWithSecret } from '@offizin/contracts/requests/callbacks';
import type { CertificationResponse } from '@offizin/contracts/requests/certification';
import { STEP_NAMES } from '@offizin/contracts/requests/certification-steps';
import { type OrderRequestProgress, REJECTION_REASONS } from '@offizin/contracts/requests/order-requests';
import { eventually } from '@offizin/testkit/eventually';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import {
  type ConnectorCall,
  orderRequest,
  type Shop,
  type TestOrganization,
} from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';
import { CallbackReceiver, type ReceivedWebhook } from '@offizin/testkit/webhook-receiver';

/** A partner tries everything at a test shop, and each step is ticked by what it really did. */
const platform = usePlatform();
let organization: TestOrganization;
let shop: Shop;
let receiver: CallbackReceiver;

beforeAll(async () => {
  organization = await platform.organization();
  const place = { name: 'Test', domain: `test.${organization.shops[0].domain}`, is_test: true };
  const made = json<{ shop_id: string; domain: string }>(await organization.api('POST', '/shops', place));
  shop = { shopId: made.shop_id, domain: made.domain };
  await eventually('the connector to know the test shop', async () => (await certification()).status === 200);
  receiver = await CallbackReceiver.start();
});
afterAll(() => receiver.close());

const call = (given: ConnectorCall): Promise<HttpAnswer> => organization.connector({ shop, ...given });
const certification = (given: ConnectorCall = {}) =>
  call({ method: 'GET', path: '/api/v1/certification', ...given });
async function done(given: ConnectorCall = {}): Promise<string[]> {
  const { steps } = json<CertificationResponse>(await certification(given));
  return steps.flatMap(({ name, done_at: at }) => (at === null ? [] : [name]));
}

const sent = (external_reference: string, payload: object = {}) =>
  orderRequest({ shipping_option: 'Versand', ...payload }, { external_reference });
const submit = (body: object) => call({ body });
const submitted = async (begin: string): Promise<string> =>
  json<{ id: string }>(await submit(sent(`${begin}${uniqueTag()}`))).id;
const read = async (id: string) => json<OrderRequestProgress>(await call({ method: 'GET', tail: `/${id}` }));
/** By the pharmacy: the partner has not seen it. */
const decided = (id: string) =>
  eventually('the decision', async () => {
    const { status } = json<{ status: string }>(await organization.api('GET', `/order-requests/${id}`));
    return status !== 'pending';
  });

it('ticks what the partner does itself, with the call that did it first', async () => {
  expect(json(await certification())).toMatchObject({ complete: false, test: true });
  expect(await done()).toEqual([]);
  const refused = await call({ key: 'ofz_int_wrong', body: orderRequest() });
  expect([codeOf(refused), await done()]).toEqual(['401 unauthorized', []]);
  const reference = `own-${uniqueTag()}`;
  const own = sent(reference);
  const requestId = `first-${uniqueTag()}`;
  const { id } = json<{ id: string }>(await call({ body: own, headers: { 'X-Request-Id': requestId } }));
  const acts: [step: string, act: () => Promise<HttpAnswer>][] = [
    ['repeated', () => submit(own)],
    ['read_back', () => call({ method: 'GET', tail: `?external_reference=${reference}` })],
    ['listed', () => call({ method: 'GET', path: '/api/v1/external-orders' })],
    [
      'replaced',
      () => call({ method: 'PUT', tail: `/${id}`, body: orderRequest({ customer_name: 'Next' }) }),
    ],
    [
      'added_document',
      () => {
        const body = { kind: 'other', pdf_base64: makePdf().toString('base64') };
        return call({ tail: `/${id}/documents`, body });
      },
    ],
    ['withdrew', () => call({ tail: `/${id}/cancel`, body: { reason: 'sent_by_mistake' } })],
    ['met_409', () => submit({ ...own, payload: orderRequest({ customer_name: 'Other' }).payload })],
    ['met_429', () => submit(sent(`busy-${uniqueTag()}`))],
    ['met_502', () => submit(sent(`down-${uniqueTag()}`))],
  ];
  const ticked = ['submitted'];
  for (const [step, act] of acts) {
    expect([step, await done()]).toEqual([step, ticked]);
    await act();
    ticked.push(step);
  }
  expect(await done()).toEqual(ticked);
  const { steps } = json<CertificationResponse>(await certification());
  expect(steps[0]).toMatchObject({ name: 'submitted', request_id: requestId });
});

it('ticks what the partner sees of the pharmacy, when it sees it', async () => {
  const rejected = await Promise.all(REJECTION_REASONS.map((reason) => submitted(`reject-${reason}-`)));
  const [corrected, shipped, asked, offered] = [
    await submitted('correct-'),
    await submitted('ship-'),
    await submitted('ask-'),
    await submitted('offer-'),
  ];
  const { id: answered } = await read(asked);
  await Promise.all([...rejected, corrected, shipped, answered, offered].map(decided));
  const before = await done();
  expect(before.filter((step) => /^saw_|answered|accepted|followed/.test(step))).toEqual([]);
  for (const [index, id] of rejected.entries()) {
    expect(await read(id)).toMatchObject({ status: 'rejected', reason: REJECTION_REASONS[index] });
    const seen = (await done()).filter((step) => step.startsWith('saw_rejected_'));
    expect(seen).toEqual(REJECTION_REASONS.slice(0, index + 1).map((reason) => `saw_rejected_${reason}`));
  }
  await read(corrected);
  expect(await done()).toContain('saw_correction');
  expect((await call({ tail: `/${offered}/offer/accept`, body: {} })).status).toBe(200);
  expect(await done()).toContain('accepted_offer');
  const answer = { method: 'PUT', tail: `/${asked}`, body: orderRequest({ customer_name: 'Answered' }) };
  expect((await call(answer)).status).toBe(200);
  expect(await done()).toContain('answered');
  await eventually(
    'the parcel',
    async () => {
      const isSeen = ((await read(shipped)).order?.parcels.length ?? 0) > 0;
      expect((await done()).includes('followed_to_parcel')).toBe(isSeen);
      return isSeen;
    },
    40_000,
  );
});

it('ticks a callback that is taken, and one that is signed wrongly only when it is refused', async () => {
  const put = await organization.callback('PUT', { url: receiver.url }, { shop });
  const { secret } = json<CallbackWithSecret>(put);
  await submitted('reject-');
  await eventually('the event', async () => (await done()).includes('took_callback'));
  const forged = await eventually('the forgery', () =>
    receiver.received.find((one) => !isSigned(one, secret)),
  );
  expect(forged.headers['webhook-id']).not.toBe(receiver.received[0]?.headers['webhook-id']);
  expect(forged.body.equals(receiver.received[0]?.body ?? Buffer.alloc(0))).toBe(true);
  receiver.answerWith((delivery) => (isSigned(delivery, secret) ? 204 : 401));
  expect(await done()).not.toContain('refused_forgery');
  await submitted('approve-');
  await eventually('the refusal', async () => (await done()).includes('refused_forgery'));
  const all = receiver.received.length;
  const last = await submitted('reject-');
  await receiver.waitFor('order_request_rejected', last);
  expect(receiver.received.slice(all).filter((one) => !isSigned(one, secret))).toEqual([]);
  expect(json(await organization.callback('GET', undefined, { shop }))).toMatchObject({
    is_active: true,
    failing_since: null,
  });
});

function isSigned({ body, headers }: ReceivedWebhook, secret: string): boolean {
  try {
    return verifyCallback(body, headers, secret) !== null;
  } catch {
    return false;
  }
}

it('is complete then, for this key at this shop alone, until it begins again', async () => {
  const own = await certification();
  expect(await done()).toEqual(STEP_NAMES);
  expect(json(own)).toMatchObject({ complete: true, test: true });
  const { id: keyId } = organization.integrationKey;
  const path = `/api-keys/${keyId}/certification?shop_id=${shop.shopId}`;
  expect(json(await organization.api('GET', path))).toEqual(json(own));
  const foreign = await platform.organization();
  expect(codeOf(await foreign.api('GET', path))).toBe('404 not_found');
  expect(codeOf(await certification({ key: foreign.integrationKey.text }))).toBe('401 unauthorized');
  const { text: key } = await platform.apiKey(organization.orgId, { kind: 'int' });
  await eventually('the other key to be known', async () => (await certification({ key })).status === 200);
  expect(await done({ key })).toEqual([]);
  const real = organization.shops[0];
  await call({ shop: real, body: orderRequest() });
  expect(await done({ shop: real })).toEqual([]);
  expect((await certification({ method: 'DELETE' })).status).toBe(204);
  expect([await done(), json<CertificationResponse>(await certification()).complete]).toEqual([[], false]);
});
