import * as added from '@offizin/contracts/requests/added-documents';
import { offerLines } from '@offizin/contracts/requests/offers';
import * as review from '@offizin/contracts/requests/order-request-review';
import * as requests from '@offizin/contracts/requests/order-requests';
import { statement } from '@offizin/pg/database';
import { orderRequest } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { databaseSpec, sharedBusSpec } from '../../spec/core-spec';
import { requestHandlers, specKeys } from '../../spec/request-handlers';
import { OrderCoreFixture } from '../../spec/spec-fixture';

/** How many versions of a request its sender makes. */
let core: OrderCoreFixture;
const store = databaseSpec();
const connected = sharedBusSpec();

beforeAll(async () => {
  const { database } = store;
  core = await OrderCoreFixture.make(database, requestHandlers(database, specKeys(database), connected.bus));
});

const aMinuteLater = statement<never, [string]>(
  'spec_versions_a_minute_later',
  `WITH earlier AS (
     UPDATE core.order_request_versions SET created_at = created_at - interval '1 minute' WHERE order_request_id = $1)
   UPDATE core.order_requests SET version_at = version_at - interval '1 minute' WHERE id = $1`,
);
const numberVersion = statement<never, [string, number]>(
  'spec_number_version',
  'UPDATE core.order_requests SET version = $2 WHERE id = $1',
);

type Doors = [
  submit: typeof requests.submitExternalOrder | typeof requests.submitOrderRequest,
  replace: typeof requests.replaceExternalOrder | typeof requests.replaceOrderRequest,
  add: typeof added.addExternalDocument | typeof added.addDocument,
];

async function sent([submit, replace, add]: Doors) {
  const external_reference = `versions-${submit.name}-${process.hrtime.bigint()}`;
  const bodyOf = (customer_name: string) =>
    orderRequest({ shop_id: core.shopId, customer_name }, { external_reference, source: 'telemedicine' });
  const { id } = (await core.call(submit, { body: bodyOf('Erika') })).body;
  const params = { requestId: id };
  const pdf = (title: string) => ({ kind: 'other', pdf_base64: makePdf(title).toString('base64') });
  return {
    id,
    answer: (name: string) => core.call(submit, { body: bodyOf(name) }),
    replace: (name: string) => core.call(replace, { params, body: bodyOf(name) }),
    add: (title: string) => core.call(add, { params, body: pdf(title) }),
    ask: () => core.call(review.requestClarification, { params, body: { question: 'Which?' } }),
    offer: (version: number) =>
      core.call(offerLines, { params, body: { version, items: [{ name: 'Tee', qty: 1, price: 1 }] } }),
    approve: (version: number) => core.call(review.approveOrderRequest, { params, body: { version } }),
    version: async () => (await core.call(review.getOrderRequest, { params })).body.version,
  };
}

const said = ({ status, body }: { status: number | null; body: { error?: string; status?: string } }) =>
  `${status} ${body.error ?? body.status ?? ''}`;

describe.each<[string, ...Doors]>([
  ['connector', requests.submitExternalOrder, requests.replaceExternalOrder, added.addExternalDocument],
  ['organization', requests.submitOrderRequest, requests.replaceOrderRequest, added.addDocument],
])('at the door of the %s, new versions', (_, ...doors) => {
  it('are six a minute, by every way to make one; what changes nothing is none of them', async () => {
    const request = await sent(doors);
    for (const name of ['Max', 'Mia', 'Ida', 'Ben', 'Lea', 'Lea']) await request.replace(name);
    expect(said(await request.add('card'))).toBe('201 pending');
    await request.ask();
    const ways = [
      () => request.answer('Tom'),
      () => request.replace('Tim'),
      () => request.add('another'),
    ] as const;
    for (const way of ways) {
      const { status, body, headers } = await way();
      const seconds = Number(headers?.['retry-after']);
      expect([status, body.error, seconds > 50 && seconds <= 60]).toEqual([429, 'rate_limited', true]);
    }
    expect(said(await request.replace('Lea'))).toBe('200 needs_clarification');
    expect(said(await request.add('card'))).toBe('200 needs_clarification');
    expect(await request.version()).toBe(7);
    expect(await core.eventsOf(request.id)).toHaveLength(8);
    await store.database.rows(aMinuteLater, request.id);
    for (const way of ways) expect((await way()).body.status).toBe('pending');
    expect(await request.version()).toBe(10);
  });

  it('are made up to number fifty, and that one is decided without question or offer', async () => {
    const request = await sent(doors);
    await store.database.rows(numberVersion, request.id, 49);
    for (let times = 0; times < 2; times += 1) expect(said(await request.replace('Max'))).toBe('200 pending');
    for (const late of [request.replace('Mia'), request.add('card')])
      expect(said(await late)).toBe('409 conflict');
    expect(said(await request.ask())).toBe('409 conflict');
    expect(said(await request.offer(50))).toBe('409 conflict');
    expect(said(await request.approve(50))).toBe('200 approved');
  });
});
