/** An example of one class, as it is sent or answered. */
export interface Example<T extends object = object> {
  dto: new () => T;
  value: T;
}

/** The compiler holds the example to its class: a field that is added must be given here, too. */
export function example<T extends object>(dto: new () => T, value: NoInfer<T>): Example<T> {
  return { dto, value };
}

/** The same objects in all examples, so that an answer fits the request above it. */
export const ORG_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c10';
export const ORDER_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c11';
export const REQUEST_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c12';
export const WEBHOOK_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c13';
export const SHOP_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c14';
export const PRESCRIPTION_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c15';
export const LOG_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c16';
export const DELIVERY_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c18';
export const EVENT_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c19';
export const KEY_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c20';
export const ERASURE_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c21';
export const INTEGRATION_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c22';
export const PARCEL_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c23';

export const HOLD_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c24';

export const LOT = { lot: 'CH4711', expires_on: '2027-01-31', test_number: null, quantity: 1 };

export const CREATED_AT = '2026-03-02T08:15:30.000Z';
export const CHANGED_AT = '2026-03-02T09:40:12.000Z';
export const PERIOD = { from: '2026-02-01', to: '2026-02-28' };

export const REFERENCE = 'rx-4711';
export const CUSTOMER = { customer_name: 'Erika Mustermann', customer_email: 'erika@example.com' };
export const STREET_ADDRESS = {
  address_street: 'Hauptstraße 1',
  address_city: 'Köln',
  address_postal_code: '50667',
  address_phone: '+49 221 123456',
};
export const LINE = { p1_id: 'P1-10001', name: 'Lavendelblüten 10 g', price: 49.95 };

export const FIRST_OF_MANY = { limit: 50, offset: 0, total: 1 };
export const LAST_PAGE = { limit: 50, next_cursor: null };
export const FIRST_PAGE = { page: 1, pageSize: 50, total: 1, totalPages: 1, next_cursor: null };
