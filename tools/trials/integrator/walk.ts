import { randomUUID } from 'node:crypto';
import { equal, match } from 'node:assert/strict';

/** What each generated client is asked to do. The types are those that the client gives. */
export interface Calls {
  token: () => Promise<string>;
  /** Number of orders on the first page of two. */
  list: (token: string) => Promise<number>;
  upsert: (token: string, externalId: string, idempotencyKey: string) => Promise<Upserted>;
  /** Reads an order that is not there. */
  refusal: (token: string, orderId: string) => Promise<{ status: number | undefined; error: string }>;
  /** The connector: an order request at the shop's address. */
  handIn: (externalReference: string) => Promise<{ id: string; status: string }>;
}

export interface Upserted {
  status: number | undefined;
  id: string;
  isReplayed: boolean;
}

/** Makes the calls and ends with exit code 1 when an answer is not the expected one. */
export async function walk(calls: Calls): Promise<void> {
  const token = await calls.token();
  match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  equal(await calls.list(token), 2);
  const [externalId, key] = [randomUUID(), randomUUID()];
  const first = await calls.upsert(token, externalId, key);
  equal(first.status, 201);
  equal(first.isReplayed, false);
  const repeat = await calls.upsert(token, externalId, key);
  equal(repeat.id, first.id);
  equal(repeat.isReplayed, true);
  const refusal = await calls.refusal(token, randomUUID());
  equal(`${refusal.status} ${refusal.error}`, '404 not_found');
  const reference = randomUUID();
  const request = await calls.handIn(reference);
  equal(request.status, 'pending');
  equal((await calls.handIn(reference)).id, request.id);
  console.log('generates, compiles under strict, 7 live calls are answered as described');
}

/** Body of an upsert. */
export function order(externalId: string) {
  return {
    shop_id: given('OFFIZIN_SHOP_ID'),
    external_id: externalId,
    items: [{ name: 'Salbe', qty: 2, price: 1.5 }],
  };
}

/** Body of the connector. */
export function orderRequest(externalReference: string) {
  return {
    external_reference: externalReference,
    payload: {
      customer_name: 'Erika Mustermann',
      items: [{ name: 'Salbe', quantity: 2, price: 1.5 }],
    },
  };
}

/** A variable that `npm run generators` sets. */
export function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
