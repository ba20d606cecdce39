import type { CustomerRecord, CustomerRequest } from '@offizin/contracts/console/customer';
import { factsOf } from './customer-facts';

const record = (fields: Partial<CustomerRecord>): CustomerRecord => ({
  id: '1',
  created_at: '2026-11-01T10:00:00.000Z',
  lines_text: '',
  total_amount: 0,
  notes: [],
  address: { street: null, postal_code: null, city: null, phone: null },
  request: null,
  order: null,
  ...fields,
});
const remark = { field: 'allergies', line: null, text: 'Nüsse' };
const sent: CustomerRequest = {
  status: 'pending',
  reason: null,
  decided_at: null,
  order_id: null,
  prescriber: null,
  messages: [],
  documents: [],
  remarks: [remark, { ...remark, line: 1 }],
};

it('names every address, number, remark and note once, the newest first', () => {
  const home = { street: 'Alte Gasse 1', postal_code: '04109', city: 'Leipzig', phone: '0341 1' };
  const facts = factsOf([
    record({ address: { ...home, street: null }, request: sent, notes: ['ruft an'] }),
    record({ address: home, request: sent, notes: ['ruft an', 'holt ab'] }),
    record({ address: { ...home, phone: ' 0341 1 ' } }),
    record({}),
  ]);
  expect(facts).toEqual({
    phones: ['0341 1'],
    addresses: ['04109 Leipzig', 'Alte Gasse 1, 04109 Leipzig'],
    remarks: [remark],
    notes: ['ruft an', 'holt ab'],
  });
});
