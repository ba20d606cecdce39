import { equal, match } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  orderRequestsSubmitExternal,
  ordersGet,
  ordersList,
  ordersUpsert,
  tokensExchange,
} from './generated';
import { createClient } from './generated/client';

/** What the generated client is asked to do. Ends with exit code 1 when an answer is not the expected one. */
const client = createClient({ baseUrl: given('OFFIZIN_URL') });
const shop = createClient({ baseUrl: given('OFFIZIN_SHOP_URL') });
const orgId = given('OFFIZIN_ORG_ID');
const items = [{ name: 'Salbe', price: 1.5 }];

/** A variable that `npm run generators` sets. */
function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

async function exchange(): Promise<string> {
  const { data, error } = await tokensExchange({ client, body: { api_key: given('OFFIZIN_API_KEY') } });
  if (!data) throw new Error(error.message);
  return data.access_token;
}

async function upsert(auth: string, externalId: string, idempotencyKey: string) {
  const { data, error, response } = await ordersUpsert({
    client,
    auth,
    path: { orgId },
    headers: { 'Idempotency-Key': idempotencyKey },
    body: {
      shop_id: given('OFFIZIN_SHOP_ID'),
      external_id: externalId,
      items: items.map((item) => ({ ...item, qty: 2 })),
    },
  });
  if (!data) throw new Error(error.message);
  return { id: data.id, status: response?.status, replayed: response?.headers.get('Idempotent-Replayed') };
}

/** The connector: an order request at the shop's address. */
async function handIn(externalReference: string) {
  const { data, error } = await orderRequestsSubmitExternal({
    client: shop,
    auth: given('OFFIZIN_INTEGRATION_KEY'),
    body: {
      external_reference: externalReference,
      payload: {
        customer_name: 'Erika Mustermann',
        items: items.map((item) => ({ ...item, quantity: 2 })),
      },
    },
  });
  if (!data) throw new Error(error.message);
  return data;
}

async function main(): Promise<void> {
  const auth = await exchange();
  match(auth, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  const list = await ordersList({ client, auth, path: { orgId }, query: { limit: 2 } });
  equal(list.data?.data.length, 2);
  const [externalId, key] = [randomUUID(), randomUUID()];
  const first = await upsert(auth, externalId, key);
  equal(first.status, 201);
  const repeat = await upsert(auth, externalId, key);
  equal(repeat.id, first.id);
  equal(`${first.replayed} ${repeat.replayed}`, 'null true');
  const refusal = await ordersGet({ client, auth, path: { orgId, orderId: randomUUID() } });
  equal(`${refusal.response?.status} ${refusal.error?.error}`, '404 not_found');
  const reference = randomUUID();
  const request = await handIn(reference);
  equal(request.status, 'pending');
  equal((await handIn(reference)).id, request.id);
  console.log('generates, compiles under strict, 7 live calls are answered as described');
}

void main();
