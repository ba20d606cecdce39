import {
  type CustomerRecord,
  type CustomerRequest,
  MAX_CUSTOMER_FACTS,
} from '@offizin/contracts/console/customer';
import { CollectedFacts } from './customer-facts';

const record = (fields: Partial<CustomerRecord>): CustomerRecord => ({
  id: '1',
  created_at: '2026-11-01T10:00:00.000Z',
  customer_name: null,
  lines_text: '',
  total_amount: 0,
  notes: [],
  address: { street: null, postal_code: null, city: null, phone: null },
  request: null,
  order: null,
  ...fields,
});
const sent = (...remarks: CustomerRequest['remarks']): CustomerRequest => ({
  status: 'pending',
  reason: null,
  decided_at: null,
  order_id: null,
  prescriber: null,
  messages: [],
  documents: [],
  remarks,
});
const nuts = { field: 'allergies', line: null, text: 'Nüsse' };
const NOTHING_LEFT_OUT = { names: 0, phones: 0, addresses: 0, remarks: 0, notes: 0 };

function factsOf(...records: CustomerRecord[]) {
  const facts = new CollectedFacts();
  for (const one of records) facts.add([one]);
  return facts.facts(0);
}

it('names every name, address, number, remark and note once, the newest first', () => {
  const home = { street: 'Alte Gasse 1', postal_code: '04109', city: 'Leipzig', phone: '0341 1' };
  const comment = { field: 'comment', line: null, text: 'bitte anrufen' };
  expect(
    factsOf(
      record({ address: { ...home, street: null }, request: sent(comment, nuts), notes: ['ruft an'] }),
      record({ address: home, customer_name: 'Ada Au', notes: ['ruft an', 'holt ab'] }),
      record({ address: { ...home, phone: ' 0341 1 ' }, customer_name: 'ada  au' }),
      record({ customer_name: 'Bo Au', request: sent({ ...comment, line: 1 }, { ...nuts, line: 2 }) }),
      record({}),
    ),
  ).toEqual({
    names: ['Ada Au', 'Bo Au'],
    phones: ['0341 1'],
    addresses: ['04109 Leipzig', 'Alte Gasse 1, 04109 Leipzig'],
    remarks: [nuts, comment],
    notes: ['ruft an', 'holt ab'],
    left_out: NOTHING_LEFT_OUT,
    unread: 0,
  });
});

it('leaves out comments before allergies, and says how many', () => {
  const newer = Array.from({ length: MAX_CUSTOMER_FACTS + 20 }, (_, number) =>
    record({ request: sent({ field: 'comment', line: null, text: `Nr. ${number}` }), notes: [`${number}`] }),
  );
  const facts = factsOf(...newer, record({ request: sent(nuts) }));
  expect(facts.remarks).toHaveLength(MAX_CUSTOMER_FACTS);
  expect(facts.remarks[0]).toEqual(nuts);
  expect(facts.left_out).toEqual({ ...NOTHING_LEFT_OUT, remarks: 21, notes: 20 });
});

it('counts a text that is too long for the head as left out', () => {
  const facts = factsOf(record({ notes: ['x'.repeat(200_000), 'kurz'] }));
  expect([facts.notes, facts.left_out.notes]).toEqual([['kurz'], 1]);
});
