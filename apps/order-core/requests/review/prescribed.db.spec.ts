import type { Caller } from '@offizin/contracts/calls/caller';
import { checkPrescriber, getReview, readEPrescription } from '@offizin/contracts/requests/review';
import { newId } from '@offizin/pg/ids';
import { keyedHash } from '../../crypto/encryption';
import { insertShop } from '../../people/directory/organizations.store';
import { ReviewFixture } from '../../spec/review-fixture';
import { brokerSpec } from '../../spec/core-spec';
import { setCheck } from './prescribers.store';

/** What a prescription says as fields: the token of an e-prescription, and the prescriber. */

const test = brokerSpec();
let fixture: ReviewFixture;
let caller: Caller;
beforeEach(async () => {
  fixture = await ReviewFixture.make(test.database, test.bus);
  caller = fixture.core.staff();
});

async function audited(requestId: string, action: string): Promise<number> {
  const actions = await fixture.core.actionsOn(`order-request:${requestId}`);
  return actions.filter((one) => one === action).length;
}

const TOKEN = { task_id: '160.000.033.491.280.78', access_code: '0123456789abcdef'.repeat(4) };
const OTHER = { task_id: '160.100.000.000.024.67', access_code: 'f'.repeat(64) };
const token = (requestId: string) => fixture.core.call(readEPrescription, { params: { requestId }, caller });
const check = (requestId: string, checked: boolean, core = fixture.core, version = 1) =>
  core.call(checkPrescriber, { params: { requestId }, body: { checked, version }, caller: core.staff() });
const checkShown = async (requestId: string) =>
  (await fixture.core.call(getReview, { params: { requestId }, caller })).body.prescriber_check;

it('names the earlier request of another customer with the same e-prescription, of one organization', async () => {
  const submit = (
    of: ReviewFixture,
    e_prescription: object,
    envelope: { external_reference?: string } = {},
  ) => of.submit({ customer_name: newId(), items: null, e_prescription }, envelope);
  const checksOf = async (requestId: string) =>
    (await fixture.core.call(getReview, { params: { requestId }, caller })).body.checks;
  const first = await submit(fixture, TOKEN, { external_reference: 'a' });
  await submit(await ReviewFixture.make(test.database, test.bus), TOKEN);
  const [later, last] = [
    await submit(fixture, TOKEN, { external_reference: 'b' }),
    await submit(fixture, TOKEN),
  ];
  await submit(fixture, OTHER);
  const used = (ids: string[]) => ids.map((order_request_id) => ({ order_request_id }));
  expect(await checksOf(first)).toMatchObject({ used_before: [], duplicate_suspect: false });
  expect(await checksOf(later)).toMatchObject({ used_before: used([first]), duplicate_suspect: false });
  expect(await checksOf(last)).toMatchObject({ used_before: used([later, first]), duplicate_suspect: true });
  expect(await fixture.ids({ flag: 'used_before' })).toEqual([later, last]);
  expect(await fixture.ids({ flag: 'duplicate' })).toEqual([last]);
});

it('shows the token of the present version, each look with an entry that names the version', async () => {
  const external_reference = newId();
  const requestId = await fixture.submit({ items: null, e_prescription: TOKEN }, { external_reference });
  expect(await token(requestId)).toMatchObject({ body: TOKEN, headers: { 'cache-control': 'no-store' } });
  expect((await token(requestId)).status).toBe(200);
  expect(await audited(requestId, 'e-prescription.view')).toBe(2);
  expect(await fixture.ids({ flag: 'document_missing' })).toEqual([]);
  await fixture.ask(requestId);
  await fixture.submit({ items: null, e_prescription: OTHER }, { external_reference });
  expect((await token(requestId)).body).toEqual(OTHER);
  await fixture.ask(requestId);
  await fixture.submit({}, { external_reference });
  expect((await token(requestId)).status).toBe(404);
  const entries = await fixture.core.auditOf(`order-request:${requestId}`);
  const looks = entries.filter(({ action }) => action === 'e-prescription.view');
  expect(looks.map(({ object }) => object)).toEqual(
    [1, 1, 2].map((version) => `order-request:${requestId}:version:${version}`),
  );
});

describe('a checked prescriber', () => {
  const NUMBER = '123456601';
  it.each([
    [{ number: NUMBER, name: 'Dr. Ada Berg' }, { number: NUMBER, name: 'Dr. Bea Tal' }, false],
    [{ number: NUMBER, name: 'Dr. Ada Berg' }, { number: '999999901', name: 'Dr. Ada Berg' }, false],
    [{ number: NUMBER, name: 'Dr. Ada Berg' }, { number: NUMBER }, false],
    [
      { number: NUMBER, name: 'Dr. med. Jörg  Müller', postal_code: '1' },
      { number: NUMBER, name: 'Prof. JOERG MUELLER' },
      true,
    ],
    [{ number: NUMBER, name: 'Dr. Jörg Weiß' }, { number: NUMBER, name: 'Dr. Jo\u0308rg WEISS' }, true],
    [{ number: NUMBER, name: 'Dr. Zoë Kjær' }, { number: NUMBER, name: 'Dr. Zoe Kjaer' }, true],
    [{ number: NUMBER, name: 'Dr. Ada Bauer' }, { number: NUMBER, name: 'Dr. Ada Baur' }, false],
    [{ number: NUMBER, name: 'Dr. Ada Müller' }, { number: NUMBER, name: 'Dr. Ada Muller' }, false],
    [{ number: NUMBER, name: 'Dr. Joel Berg' }, { number: NUMBER, name: 'Dr. Jol Berg' }, false],
    [{ number: NUMBER, name: 'Dr. Michael Berg' }, { number: NUMBER, name: 'Dr. Michal Berg' }, false],
    [{ number: NUMBER, name: 'Dr. med. Ada Berg' }, { number: NUMBER, name: 'Dr med ADA BERG' }, true],
    [{ number: NUMBER, name: 'Dr. med. dent. Ada Berg' }, { number: NUMBER, name: 'Dr Dent Ada Berg' }, true],
    [{ number: NUMBER, name: 'Ada Dent' }, { number: NUMBER, name: 'Ada Med' }, false],
    [{ number: NUMBER, name: 'Dr. Dent, Ada' }, { number: NUMBER, name: 'Dr. Med, Ada' }, false],
    [{ number: NUMBER, name: 'Dr. Ada Maria Dent' }, { number: NUMBER, name: 'Dr. Ada Maria' }, false],
    [{ name: 'Dr.  ADA', postal_code: '04109' }, { name: 'dr. ada', postal_code: '04109 ' }, true],
    [{ name: 'Dr. Ada', postal_code: '04109' }, { name: 'Dr. Ada', postal_code: '04110' }, false],
    [{ name: 'Dr. Ada', postal_code: '04109' }, { name: 'Dr. Ada' }, false],
    [
      { name: 'Dr. Ada', postal_code: '04109' },
      { name: 'Dr. Ada', postal_code: '04109', number: NUMBER },
      false,
    ],
  ])('%j is remembered for %j: %s', async (prescriber, later, isKnown) => {
    const first = await fixture.submit({ prescriber });
    expect(await checkShown(first)).toBeNull();
    const answer = await check(first, true);
    expect(answer.body.prescriber_check).toMatchObject({ at: expect.any(String) as string });
    expect((await check(first, true)).body).toEqual(answer.body);
    expect(await audited(first, 'prescriber.check')).toBe(1);
    const second = await fixture.submit({ prescriber: later });
    expect(await checkShown(second)).toEqual(isKnown ? answer.body.prescriber_check : null);
    expect((await check(first, false)).body.prescriber_check).toBeNull();
    expect(await checkShown(second)).toBeNull();
    expect(await audited(first, 'prescriber.uncheck')).toBe(1);
  });

  it('needs what tells one from another, and the version that was seen', async () => {
    for (const prescriber of [{ name: 'Dr. Ada' }, { number: NUMBER }, { number: NUMBER, name: 'Dr. med.' }])
      expect((await check(await fixture.submit({ prescriber }), true)).status).toBe(404);
    const ada = { number: NUMBER, name: 'Ada' };
    const id = await fixture.submit({ prescriber: ada });
    expect((await check(id, true, fixture.core, 2)).status).toBe(409);
    const other = await ReviewFixture.make(test.database, test.bus);
    await check(await other.submit({ prescriber: ada }), true, other.core);
    expect(await checkShown(id)).toBeNull();
  });

  it('is never seen where the number alone was checked before', async () => {
    const { orgId } = fixture.core;
    const key = await fixture.dataKeys.keyOf(orgId);
    const identity = keyedHash(key, 'prescriber number', NUMBER);
    await setCheck(test.database, orgId, { identity, checkedBy: `staff:${caller.actorId}` });
    for (const prescriber of [{ number: NUMBER }, { number: NUMBER, name: 'Ada' }])
      expect(await checkShown(await fixture.submit({ prescriber }))).toBeNull();
  });

  it('is never seen where a name was checked that a former rule folded alike', async () => {
    const { orgId } = fixture.core;
    const key = await fixture.dataKeys.keyOf(orgId);
    const identity = keyedHash(key, 'prescriber', JSON.stringify(['ada baur', 'number', NUMBER]));
    await setCheck(test.database, orgId, { identity, checkedBy: `staff:${caller.actorId}` });
    for (const name of ['Ada Bauer', 'Ada Baur'])
      expect(await checkShown(await fixture.submit({ prescriber: { number: NUMBER, name } }))).toBeNull();
  });

  it('of a test shop is not one of real shops', async () => {
    const [shopId, prescriber] = [newId(), { number: NUMBER, name: 'Ada' }];
    const shop = { id: shopId, name: 'T', domain: `${shopId}.example`, isTest: true };
    await insertShop(test.database, fixture.core.orgId, shop);
    const by = await fixture.core.integration('Alpha', shopId);
    await check(await fixture.submit({ prescriber }, { by }), true);
    expect(await checkShown(await fixture.submit({ prescriber }, { by }))).not.toBeNull();
    expect(await checkShown(await fixture.submit({ prescriber }))).toBeNull();
  });
});
