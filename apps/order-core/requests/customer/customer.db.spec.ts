import { type CustomerResponse, getCustomer } from '@offizin/contracts/console/customer';
import { setReviewMarks } from '@offizin/contracts/requests/review';
import type { Role } from '@offizin/contracts/people/roles';
import { upsertOrder } from '@offizin/contracts/orders/orders';
import { statement } from '@offizin/pg/database';
import { ReviewFixture } from '../../spec/review-fixture';
import { brokerSpec } from '../../spec/core-spec';

const EMAIL = 'jo\u0308rg@bücher.example';

const test = brokerSpec();
let fixture: ReviewFixture;
beforeEach(async () => {
  fixture = await ReviewFixture.make(test.database, test.bus);
});

async function read(query: string, role: Role = 'pharmacist'): Promise<CustomerResponse> {
  const { core } = fixture;
  const { status, body } = await core.call(getCustomer, { query, caller: core.staff(role) });
  expect(status).toBe(200);
  return body;
}

async function order(externalId: string, fields: object = {}): Promise<string> {
  const body = { shop_id: fixture.core.shopId, external_id: externalId, customer_email: EMAIL, ...fields };
  return (await fixture.core.call(upsertOrder, { body })).body.id;
}

const idsOf = ({ data }: CustomerResponse): string[] => data.map(({ id }) => id);

it('is one time line of requests and orders of one e-mail address, from either side', async () => {
  const { core } = fixture;
  const prescriber = { name: 'Dr. Vogt' };
  const rejected = await fixture.submit(
    { customer_email: EMAIL, prescriber, allergies: ['Nüsse'], address_street: 'Alte Gasse 1' },
    { external_reference: '1', pdf: Buffer.from('%PDF-1.4 a') },
  );
  const marks = { params: { requestId: rejected }, body: { note: 'Praxis angerufen' } };
  await core.call(setReviewMarks, { ...marks, caller: core.staff() });
  await fixture.ask(rejected);
  await fixture.reject(rejected);
  const open = await fixture.submit({ customer_email: 'JÖRG@xn--bcher-kva.example' });
  await fixture.submit({ customer_email: 'other@kunden.example' });
  const ordered = await order('o-1', {
    items: [{ name: 'Salbe', qty: 1, price: 5 }],
    address_phone: '030 1',
  });
  await order('o-2', { customer_email: 'other@kunden.example' });
  for (const query of [`request_id=${open}`, `order_id=${ordered}`]) {
    const found = await read(query);
    expect(found).toMatchObject({ requests: 2, rejected: 1, orders: 1, next_cursor: null });
    expect(idsOf(found)).toEqual([ordered, open, rejected]);
    expect(found.facts).toEqual({
      names: ['Jörg Möller'],
      phones: ['030 1'],
      addresses: ['Alte Gasse 1'],
      remarks: [{ field: 'allergies', line: null, text: 'Nüsse' }],
      notes: ['Praxis angerufen'],
      left_out: { names: 0, phones: 0, addresses: 0, remarks: 0, notes: 0 },
      unread: 0,
    });
    expect(found.data[0]).toMatchObject({
      lines_text: '1 × Salbe',
      address: { phone: '030 1' },
      request: null,
      order: { status: 'pending', external_id: 'o-1' },
    });
    expect(found.data[2]).toMatchObject({
      notes: ['Praxis angerufen'],
      lines_text: '2 × Blüte',
      address: { street: 'Alte Gasse 1' },
      order: null,
      request: {
        status: 'rejected',
        reason: 'other',
        prescriber: 'Dr. Vogt',
        messages: ['Wie viel?'],
        remarks: [{ field: 'allergies', line: null, text: 'Nüsse' }],
        documents: [{ number: 1, kind: 'prescription', name: null }],
      },
    });
    expect(found.data[2]?.request?.decided_at).not.toBeNull();
  }
});

it('answers a clerk orders only, and no figure of requests', async () => {
  const request = await fixture.submit({ customer_email: EMAIL, allergies: 'Nüsse' });
  const ordered = await order('o-1');
  const found = await read(`order_id=${ordered}`, 'clerk');
  expect(found).toMatchObject({ requests: null, rejected: null, orders: 1 });
  expect(idsOf(found)).toEqual([ordered]);
  expect(JSON.stringify(found)).not.toContain('Nüsse');
  expect(await fixture.core.actionsOn(`order-request:${request}`)).not.toContain('customer.read');
});

it('pages through more records than an answer takes, each of them once', async () => {
  const ids: string[] = [];
  for (let number = 0; number < 7; number += 1) {
    ids.unshift(
      number % 2 ? await order(`o-${number}`) : await fixture.submit({ customer_email: EMAIL, number }),
    );
  }
  const query = `request_id=${ids[0]}&limit=3`;
  const seen: string[] = [];
  let cursor: string | null = '';
  for (let page = 0; page < 3 && cursor !== null; page += 1) {
    const found = await read(cursor === '' ? query : `${query}&cursor=${cursor}`);
    expect(found).toMatchObject({ requests: 4, orders: 3 });
    seen.push(...idsOf(found));
    cursor = found.next_cursor;
  }
  expect([seen, cursor]).toEqual([ids, null]);
  const { core } = fixture;
  const first = (await read(query)).next_cursor ?? '';
  const foreign = `request_id=${ids[2]}&cursor=${first}`;
  expect((await core.call(getCustomer, { query: foreign, caller: core.staff() })).status).toBe(400);
});

it('tells the facts of every record, also of one that is on no page that was read', async () => {
  const oldest = await fixture.submit({
    customer_email: EMAIL,
    allergies: 'Penicillin',
    address_phone: '030 7',
  });
  for (let number = 0; number < 60; number += 1) {
    await fixture.submit({ customer_email: EMAIL, number });
    await order(`o-${number}`, { customer_name: `Jörg Möller ${number % 2}` });
  }
  const found = await read(`request_id=${oldest}&limit=10`);
  expect(found).toMatchObject({ requests: 61, orders: 60 });
  expect(idsOf(found)).not.toContain(oldest);
  expect(found.facts).toMatchObject({
    names: ['Jörg Möller 1', 'Jörg Möller', 'Jörg Möller 0'],
    phones: ['030 7'],
    remarks: [{ field: 'allergies', line: null, text: 'Penicillin' }],
    unread: 0,
  });
  const next = await read(`request_id=${oldest}&limit=10&cursor=${found.next_cursor ?? ''}`);
  expect([next.facts, next.data.length]).toEqual([null, 10]);
  // A clerk learns nothing that a request alone says.
  const asClerk = await read(`order_id=${found.data[0]?.id ?? ''}&limit=10`, 'clerk');
  expect(asClerk.facts).toMatchObject({ phones: [], remarks: [], unread: 0 });
});

const copyOrder = statement<never, [string, number]>(
  'spec_copy_order',
  `INSERT INTO core.orders
   SELECT (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(), 'external_id', 'copy ' || n))).*
   FROM core.orders o, generate_series(1, $2::int) n WHERE o.id = $1`,
);

it('states how many of the oldest records are too many to be read for the facts', async () => {
  const oldest = await fixture.submit({ customer_email: EMAIL, allergies: 'Penicillin' });
  await test.database.rows(copyOrder, await order('o-1'), 2100);
  const { orders, facts } = await read(`request_id=${oldest}`);
  expect([orders, facts?.unread, facts?.remarks]).toEqual([2101, 52, []]);
});

const makeTest = statement<never, [string]>(
  'spec_test_request',
  'UPDATE core.order_requests SET is_test = true WHERE id = $1',
);

it('never mixes the records of test shops with real ones', async () => {
  const real = await fixture.submit({ customer_email: EMAIL });
  const trial = await fixture.submit({ customer_email: EMAIL }, { external_reference: 'trial' });
  await test.database.rows(makeTest, trial);
  for (const id of [real, trial]) expect(idsOf(await read(`request_id=${id}`))).toEqual([id]);
});

it('is unknown for a clerk who names a request, and in another organization', async () => {
  const { core } = fixture;
  const id = await fixture.submit({ customer_email: EMAIL });
  const other = await ReviewFixture.make(test.database, test.bus);
  for (const [at, role] of [
    [core, 'clerk'],
    [other.core, 'owner'],
  ] as const) {
    const { status } = await at.call(getCustomer, { query: `request_id=${id}`, caller: at.staff(role) });
    expect(status).toBe(404);
  }
});
