import { Client } from 'pg';
import { probeBroker } from '@offizin/events/broker-probe';
import { limitEventStream } from '@offizin/testkit/broker';
import { eventually } from '@offizin/testkit/eventually';
import type { TestOrganization } from '@offizin/testkit/organization';
import { type OwnStack, startOwnStack } from '@offizin/testkit/own-stack';
import { accessTo } from '@offizin/testkit/platform';
import { type WebhookBody, WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/** The stream of events has less space than the events need. Has a separate stack. */
const STREAM_BYTES = 256 * 1024;
const FULL_BYTES = 0.75 * STREAM_BYTES;
const ORDERS = 800;
const CALLERS = 40;

let own: OwnStack;
let organization: TestOrganization;
let receiver: WebhookReceiver;
let database: Client;

beforeAll(async () => {
  own = await startOwnStack();
  await limitEventStream(accessTo(own.stack), STREAM_BYTES);
  database = new Client({ connectionString: own.stack.adminDatabaseUrl });
  await database.connect();
  organization = await own.platform.organization();
  receiver = await WebhookReceiver.start();
  expect((await organization.api('POST', '/webhooks', { url: receiver.url })).status).toBe(201);
}, 90_000);
afterAll(async () => {
  await database.end();
  await receiver.close();
  await own.stop();
}, 60_000);

/** Makes orders, each of which must be taken; resolves with their ids, sorted. */
async function makeOrders(count: number): Promise<string[]> {
  const ids: string[] = [];
  const call = async (): Promise<void> => {
    while (count-- > 0) ids.push((await organization.createOrder()).id);
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  return ids.sort();
}

/** Ids of the orders whose creation was delivered, sorted; an order with two deliveries is listed twice. */
function toldOrders(): string[] {
  const events = new Map(
    receiver.received.map(({ headers, body }) => [
      headers['webhook-id'],
      JSON.parse(body.toString()) as WebhookBody,
    ]),
  );
  return [...events.values()]
    .filter(({ event_type }) => event_type === 'order_created')
    .map(({ metadata }) => String(metadata['order_id']))
    .sort();
}

async function inOutbox(condition = 'true'): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM core.outbox WHERE ${condition}`,
  );
  return rows[0]?.count ?? 0;
}

async function bytesInStream(): Promise<number> {
  return (await probeBroker(accessTo(own.stack))).events?.bytes ?? 0;
}

it('accepts every order while the stream is full, and delivers each event once the consumer is back', async () => {
  const worker = own.stack.apps['webhook-worker'];
  worker.kill('SIGKILL');
  expect(await worker.exited(5_000)).toBe(true);
  const made = await makeOrders(ORDERS);
  await eventually('the stream to be full', async () => (await bytesInStream()) > FULL_BYTES);
  expect(await inOutbox('published_at IS NULL')).toBeGreaterThan(0);
  made.push(...(await makeOrders(20)));
  await worker.start();
  await worker.ready();
  await eventually('every order told', () => toldOrders().length >= made.length, 60_000);
  expect(toldOrders()).toEqual(made.sort());
  await eventually('the outbox to be settled', async () => (await inOutbox()) === 0, 60_000);
}, 180_000);
