import type { OrderExportQuery } from '@offizin/contracts/exports';
import { csvHead, csvRows } from '../../csv/csv';
import { COLUMNS, exportRows, filtersOf } from './order-export';
import type { ExportedOrder } from './order-export.store';

const order: ExportedOrder = {
  id: 'o1',
  order_number: '=1+1',
  external_id: 'ä',
  status: 'pending',
  payment_status: 'paid',
  payment_reference: null,
  shop_id: 's1',
  shop_name: 'Löwen',
  customer_name: 'Müller, Jörg',
  customer_email: null,
  address_street: null,
  address_postal_code: null,
  address_city: null,
  address_phone: '+49 30',
  shipping_option: null,
  total_amount: 12.5,
  total_is_given: false,
  order_datetime: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  erased_at: null,
  parcels: [
    { id: 'p1', carrier: 'dhl', tracking_number: '0034', url: null, created_at: '2026-01-01T00:00:00.000Z' },
    { id: 'p2', carrier: 'gls', tracking_number: null, url: null, created_at: '2026-01-01T00:00:00.000Z' },
  ],
  lots: [
    {
      line: 1,
      p1_id: 'P1',
      name: 'Salbe',
      lot: 'A-1',
      expires_on: '2027-01-31',
      test_number: null,
      quantity: 1,
    },
    { line: 1, p1_id: 'P1', name: 'Salbe', lot: 'B', expires_on: null, test_number: 'T 7', quantity: 1 },
    { line: 2, p1_id: 'P9', name: 'Tee', lot: 'C', expires_on: null, test_number: null, quantity: 1 },
  ],
  items: [
    { p1_id: 'P1', name: 'Salbe', quantity: 2, price: 4.5 },
    { p1_id: null, name: null, quantity: 1, price: 3.5 },
  ],
};

it('an order is one row per line, with texts that no spreadsheet runs', () => {
  const begin =
    '"o1","\'=1+1","ä","pending","paid",,"s1","Löwen","Müller, Jörg",,,,,"\'+49 30",,12.50,,' +
    '"2026-01-01T00:00:00.000Z","2026-01-01T00:00:00.000Z"';
  expect(csvRows(COLUMNS, exportRows([order]), 'default')).toBe(
    `${begin},1,"P1","Salbe",2,4.50,"false",,"dhl 0034, gls","1 × A-1 2027-01-31, 1 × B T 7, 1 × C (Tee)"\r\n${begin},2,,,1,3.50,"false",,"dhl 0034, gls",\r\n`,
  );
});

it('an order without lines is one row', () => {
  expect(
    csvRows(COLUMNS, exportRows([{ ...order, items: [], parcels: [], lots: null }]), 'excel-de'),
  ).toMatch(/^"o1";.*;12,50;;[^\r]*;;;;;;"false";;;\r\n$/);
  expect(csvHead(COLUMNS, 'excel-de')).toMatch(
    /^\uFEFF"order_id";.*;"unit_price";"total_is_given";"erased_at";"parcels";"lots"\r\n$/,
  );
});

it('the audit log names the filters, but not whom they look for', () => {
  const query: OrderExportQuery = { sort: 'created_at', status: 'shipped', q: 'Müller', external_id: 'ä' };
  expect(filtersOf(query)).toBe('status=shipped external_id q');
  expect(filtersOf({ sort: 'created_at' })).toBe('all');
});
