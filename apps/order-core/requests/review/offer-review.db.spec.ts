import type { Caller } from '@offizin/contracts/calls/caller';
import { acceptOffer, declineOffer, offerLines } from '@offizin/contracts/requests/offers';
import { replaceOrderRequest } from '@offizin/contracts/requests/order-requests';
import { getReview, type ReviewFlag, setReviewMarks } from '@offizin/contracts/requests/review';
import { statement } from '@offizin/pg/database';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { brokerSpec } from '../../spec/core-spec';
import { ReviewFixture } from '../../spec/review-fixture';
import { expireOffers } from './expiry';
import { ReviewSettingsHandlers } from './review-settings.handlers';

/** What staff sees of an offer: the flag of its end in the list, and the marks that stay. */
const test = brokerSpec();
let fixture: ReviewFixture;

beforeEach(async () => {
  const settings = handlersIn(new ReviewSettingsHandlers(test.database));
  fixture = await ReviewFixture.make(test.database, test.bus, () => settings);
});

const OFFER = { version: 1, items: [{ name: 'Öl', qty: 3, price: 5 }] };

const makeLate = statement<never, [string]>(
  'spec_list_offer_late',
  `UPDATE core.order_requests SET offer_valid_until = now() - interval '1 second' WHERE id = $1`,
);

async function offeredTo(external_reference: string): Promise<{ requestId: string }> {
  const requestId = await fixture.submit({}, { external_reference });
  const { status } = await fixture.core.call(offerLines, { params: { requestId }, body: OFFER });
  expect(status).toBe(200);
  return { requestId };
}

/** In the list and as its filter, of this request alone. */
async function expectFlag(flag: ReviewFlag, { requestId }: { requestId: string }): Promise<void> {
  expect(await fixture.ids({ flag })).toEqual([requestId]);
  const { data } = await fixture.list();
  expect(data.filter(({ flags }) => flags.includes(flag)).map(({ id }) => id)).toEqual([requestId]);
}

it('the list marks how an offer ended, until there is another version', async () => {
  const [open, accepted, declined] = [await offeredTo('o'), await offeredTo('a'), await offeredTo('d')];
  await fixture.core.call(acceptOffer, { params: accepted, body: {} });
  await fixture.core.call(declineOffer, { params: declined, body: {} });
  const expired = await offeredTo('e');
  await test.database.rows(makeLate, expired.requestId);
  await expireOffers(test.database, { ring: () => undefined });
  await expectFlag('offer_expired', expired);
  await expectFlag('offer_accepted', accepted);
  await expectFlag('offer_declined', declined);
  const offerOf = async (params: { requestId: string }) => {
    const { offer, offer_version, version } = (
      await fixture.core.call(getReview, { params, caller: fixture.core.staff() })
    ).body;
    return [offer?.state, offer_version, version];
  };
  expect([await offerOf(open), await offerOf(accepted), await offerOf(declined)]).toEqual([
    ['open', 1, 1],
    ['accepted', 2, 2],
    ['declined', 1, 1],
  ]);
  const [row] = (await fixture.list({ flag: 'offer_accepted' })).data;
  expect(row).toMatchObject({ version: 2, lines_text: '3 × Öl', total_amount: 15 });
  const asked = await fixture.list({ tab: 'asked', flag: 'offer_open' });
  expect(asked.data).toMatchObject([{ id: open.requestId, flags: expect.arrayContaining(['offer_open']) }]);
  expect(await fixture.ids({ flag: 'offer_open' })).toEqual([]);
  const items = [{ name: 'Tee', quantity: 1, price: 1 }];
  const payload = { shop_id: fixture.core.shopId, customer_name: 'Zoë', items };
  await fixture.core.call(replaceOrderRequest, { params: accepted, body: { payload } });
  expect(await fixture.ids({ flag: 'offer_accepted' })).toEqual([]);
  expect(await offerOf(accepted)).toEqual(['accepted', 2, 3]);
});

it('marks of the documents stay for accepted lines; dose, note and pages do not', async () => {
  const params = { requestId: await fixture.submit() };
  const { core } = fixture;
  const [anna, bodo] = [core.staff(), core.staff()];
  const mark = async (body: object, caller: Caller = anna) =>
    (await core.call(setReviewMarks, { params, body, caller })).body;
  const all = { signature_seen: true, prescriber_checked: true, dose_plausible: true, rest_not_needed: true };
  await mark({ ...all, issued_on: '2026-01-30', document_kind: 'private', note: 'Praxis' });
  await mark({ prescriber_checked: true, dose_plausible: true }, bodo);
  await core.call(offerLines, { params, body: OFFER });
  await core.call(declineOffer, { params, body: {} });
  expect(await mark({})).toMatchObject({ ...all, note: 'Praxis' });
  await core.call(offerLines, { params, body: OFFER });
  await core.call(acceptOffer, { params, body: {} });
  expect(await mark({ version: 2 })).toEqual({
    issued_on: '2026-01-30',
    document_kind: 'private',
    signature_seen: true,
    prescriber_checked: true,
    dose_plausible: false,
    rest_not_needed: false,
    note: null,
    colleagues: [{ by: 'pharmacist', at: expect.any(String), marks: ['prescriber_checked'] }],
  });
});
