import { createHmac, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { Stack } from '@offizin/local-stack/stack';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { Organization } from '@offizin/testkit/organization';
import { orderRequest } from '@offizin/testkit/order-request';
import { type OwnStack, startOwnStack } from '@offizin/testkit/own-stack';
import { uniqueTag } from '@offizin/testkit/platform';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/** The secrets of the installation are changed roll-out by roll-out while it works. Tests follow one another. */
const nextSecret = randomBytes(32).toString('base64');
const nextKey = randomBytes(32).toString('base64');
let own: OwnStack;
let stack: Stack;
let organization: Organization;
let receiver: WebhookReceiver;
let secret: string;
const requestIds: string[] = [];

beforeAll(async () => {
  own = await startOwnStack();
  stack = own.stack;
  organization = await own.platform.organization();
  receiver = await WebhookReceiver.start();
  const created = await organization.api('POST', '/webhooks', { url: receiver.url });
  secret = json<{ secret: string }>(created).secret;
  for (let count = 0; count < 3; count++) {
    const body = orderRequest({ customer_name: 'Erika Rot' }, { external_reference: uniqueTag() });
    requestIds.push(json<{ id: string }>(await organization.connector({ body })).id);
  }
}, 90_000);
afterAll(async () => {
  await receiver.close();
  await own.stop();
}, 60_000);

/** All that is sealed under the master key, as it lies in the database. */
async function sealed(): Promise<string[]> {
  const client = new Client({ connectionString: stack.adminDatabaseUrl });
  await client.connect();
  const { rows } = await client.query<{ sealed: string }>(
    `SELECT encode(wrapped_key, 'hex') AS sealed FROM core.data_keys
     UNION ALL SELECT encode(secret, 'hex') FROM webhooks.subscriptions ORDER BY 1`,
  );
  await client.end();
  return rows.map((row) => row.sealed);
}

/** An approval opens the request's payload, and its event is signed with the subscription's secret. */
async function expectEverythingReadable(): Promise<void> {
  const requestId = requestIds.pop() ?? '';
  const approved = await organization.api('POST', `/order-requests/${requestId}/approve`, {});
  expect(approved.status).toBe(200);
  const { order_id: id } = json<{ order_id: string }>(approved);
  const order = await organization.api('GET', `/orders/${id}`);
  expect(json(order)).toMatchObject({ customer_name: 'Erika Rot' });
  const delivery = await receiver.waitFor(({ metadata }) => metadata['order_id'] === id);
  const expected = createHmac('sha256', secret).update(delivery.body).digest('hex');
  expect(delivery.headers['x-service-signature']).toBe(`sha256=${expected}`);
}

it('a new master key: what the old one sealed is sealed again, and then the old one may go', async () => {
  const before = await sealed();
  const { masterKey: oldKey } = stack.secrets;
  const both = { MASTER_KEY: `${nextKey},${oldKey}` };
  const second = [
    (await stack.addReplica('order-core', both)).process,
    (await stack.addReplica('webhook-worker', both)).process,
  ];
  await eventually('all to be sealed again', async () => {
    const now = await sealed();
    return now.length === before.length && now.every((text) => !before.includes(text));
  });
  await expectEverythingReadable();

  await stack.addReplica('order-core', { MASTER_KEY: nextKey });
  await stack.addReplica('webhook-worker', { MASTER_KEY: nextKey });
  for (const one of [stack.apps['order-core'], stack.apps['webhook-worker'], ...second]) await one.stop();
  await expectEverythingReadable();
}, 120_000);

it('a new internal secret: processes with the old one and with the new one first understand each other', async () => {
  const { internalTokenSecret: old } = stack.secrets;
  const accepting = { INTERNAL_TOKEN_SECRET: `${old},${nextSecret}`, MASTER_KEY: nextKey };
  const before = [...stack.replicas];
  for (const app of ['order-core', 'webhook-worker', 'catalog'] as const)
    await stack.addReplica(app, accepting);
  for (const one of [...before, stack.apps.catalog]) await one.stop();

  const signing = { INTERNAL_TOKEN_SECRET: `${nextSecret},${old}` };
  const { port } = await stack.addReplica('gateway', signing);
  const path = `/api/v2/public/orgs/${organization.orgId}/orders?limit=1`;
  const headers = { authorization: `Bearer ${organization.token}` };
  expect((await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status).toBe(200);
  await expectEverythingReadable();
}, 120_000);
