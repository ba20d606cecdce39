import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WARM_UP_ORG_ID } from '@offizin/contracts/calls/caller';
import { listOrders } from '@offizin/contracts/orders/orders';
import { appNames } from '@offizin/local-stack/apps';
import { withClient } from '@offizin/local-stack/database-client';
import { databaseServices } from '@offizin/local-stack/secrets';
import type { Stack } from '@offizin/local-stack/stack';
import { eventually } from '@offizin/testkit/eventually';
import { type OwnStack, startOwnStack } from '@offizin/testkit/own-stack';
import { http } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { uniqueTag } from '@offizin/testkit/platform';
import { tablesWith } from '@offizin/testkit/plain-search';
import { type CollectedSpan, TraceCollector } from '@offizin/testkit/trace-collector';
import { type WebhookBody, WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/** A separate stack with traces on: only calls with a sampled traceparent are recorded. */
let collector: TraceCollector;
let own: OwnStack;
let stack: Stack;
let organization: TestOrganization;
let receiver: WebhookReceiver;

beforeAll(async () => {
  collector = await TraceCollector.start();
  const tracing = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    OTEL_BSP_SCHEDULE_DELAY: '200',
    LOG_LEVEL: 'info',
  };
  own = await startOwnStack(Object.fromEntries(appNames.map((app) => [app, tracing])));
  stack = own.stack;
  organization = await own.platform.organization();
  receiver = await WebhookReceiver.start();
  await organization.api('POST', '/webhooks', { url: `${receiver.url}?token=${CANARY}` });
}, 120_000);

afterAll(async () => {
  await receiver.close();
  await own.stop();
  await collector.close();
}, 60_000);

const CANARY = `canary${uniqueTag()}`;

/** A trace that the caller began, and wants recorded. */
function newTrace(flags: '00' | '01' = '01'): { traceId: string; headers: { traceparent: string } } {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, headers: { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-${flags}` } };
}

function deliveryOf(eventType: string, orderId: string) {
  return receiver.waitFor(
    (event: WebhookBody) => event.event_type === eventType && event.metadata['order_id'] === orderId,
  );
}

/** Names of the spans from the first to this one, with the process of each. */
function wayTo(span: CollectedSpan, spans: readonly CollectedSpan[]): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...(parent ? wayTo(parent, spans) : []), `${span.service}: ${span.name}`];
}

/** Each process sends its spans when it likes: a way is whole when all of them have. */
async function untilThere(traceId: string, expected: readonly string[]): Promise<void> {
  let ways: string[] = [];
  const isThere = (): boolean => {
    const spans = collector.spans.filter((span) => span.traceId === traceId);
    ways = spans.map((span) => wayTo(span, spans).join(' > '));
    return expected.every((way) => ways.includes(way));
  };
  await eventually('the ways', isThere).catch(() =>
    expect(ways).toEqual(expect.arrayContaining([...expected])),
  );
}

function logOf(app: (typeof appNames)[number]): Record<string, unknown>[] {
  const lines = readFileSync(join(stack.dataDir, 'logs', `${app}.log`), 'utf8').split('\n');
  return lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));
}

it('a start warms each service up and leaves no row, no metric and no line of a call', async () => {
  const warmUp = [{ name: 'the warm-up', text: WARM_UP_ORG_ID }];
  const tables = await withClient(stack.adminDatabaseUrl, (database) => tablesWith(database, warmUp));
  expect(tables).toEqual([]);
  for (const app of databaseServices) {
    const messages = logOf(app).map(({ msg }) => msg);
    expect(messages.filter((text) => text === 'warmed up' || text === 'ready')).toEqual([
      'warmed up',
      'ready',
    ]);
  }
  const metrics = await http(`${stack.apps['order-core'].managementUrl}/metrics`);
  const durations = /^offizin_operation_duration\S*operation="([^"]*)"/gm;
  const counted = [...metrics.body.toString().matchAll(durations)].map(([, operation]) => operation);
  const logged = logOf('order-core').map(({ operation }) => operation);
  expect([...counted, ...logged]).not.toContain(listOrders.name);
});

const TO_OWNER =
  'gateway: orders.patch-status > gateway: orders.patch-status over NATS > order-core: orders.patch-status';
const TO_EVENT = `${TO_OWNER} > order-core: publish event > webhook-worker: take event`;

it('one trace holds a status patch: edge, NATS, SQL, outbox, stream, and the request to the subscriber', async () => {
  const order = await organization.createOrder();
  // Statements are in a trace only where a batch is one event: that of the creation must be through.
  await deliveryOf('order_created', order.id);
  const { traceId, headers } = newTrace();
  await organization.api('PATCH', `/orders/${order.id}/status`, { status: 'shipped' }, headers);
  const delivery = await deliveryOf('order_status_updated', order.id);
  const spans = await collector.trace(traceId, [
    'webhook POST',
    'SQL order_patch_status',
    'SQL inbox_receive',
  ]);
  await untilThere(traceId, [
    `${TO_OWNER} > order-core: SQL order_patch_status`,
    `${TO_EVENT} > webhook-worker: SQL inbox_receive`,
    `${TO_EVENT} > webhook-worker: webhook POST`,
  ]);
  const posted = spans.find(({ name }) => name === 'webhook POST');
  expect(delivery.headers['traceparent']).toBe(`00-${traceId}-${posted?.spanId}-01`);
  expect(delivery.body.toString()).not.toContain(traceId);
});

it('one trace holds an order request: connector, proxy, transaction, and the request to the subscriber', async () => {
  const { traceId, headers } = newTrace();
  const answer = await organization.connector({ body: orderRequest(), headers });
  expect(answer.status).toBe(200);
  const owner = 'connector-edge: order-requests.submit-external > order-core: order-requests.submit-external';
  await untilThere(traceId, [
    `${owner} > order-core: SQL outbox_append_many`,
    `${owner} > order-core: SQL COMMIT`,
    `${owner} > order-core: publish event > webhook-worker: take event > webhook-worker: webhook POST`,
  ]);
});

it('records nothing that nobody asked for, and stores no trace with its event', async () => {
  const before = collector.spans.length;
  const order = await organization.createOrder();
  const { traceId, headers } = newTrace('00');
  await organization.api('PATCH', `/orders/${order.id}/status`, { status: 'shipped' }, headers);
  const delivery = await deliveryOf('order_status_updated', order.id);
  expect(delivery.headers['traceparent']).toBeUndefined();
  // What comes after it in the same batches was sent by then.
  const asked = newTrace();
  await organization.api('GET', '/orders', undefined, asked.headers);
  await collector.trace(asked.traceId, ['orders.list']);
  const others = collector.spans.slice(before).filter((span) => span.traceId !== asked.traceId);
  expect(others.filter((span) => span.traceId === traceId)).toEqual([]);
  expect(others.filter(({ name }) => name === 'orders.upsert')).toEqual([]);
});

it('writes the trace beside the request id into the log lines of every process', async () => {
  const order = await organization.createOrder();
  const requestId = `traced-${uniqueTag()}`;
  const { traceId, headers } = newTrace();
  await organization.api(
    'PATCH',
    `/orders/${order.id}/status`,
    { status: 'shipped' },
    { ...headers, 'x-request-id': requestId },
  );
  await deliveryOf('order_status_updated', order.id);
  for (const app of ['gateway', 'order-core'] as const) {
    await eventually(`the line of ${app}`, () =>
      logOf(app).some((line) => line['request_id'] === requestId && line['trace_id'] === traceId),
    );
  }
  await eventually('the attempt', () =>
    logOf('webhook-worker').some(
      (line) => line['msg'] === 'delivery attempt' && line['trace_id'] === traceId,
    ),
  );
});

it('sends nothing personal, no value of a statement, no query, no key and no token', async () => {
  const { traceId, headers } = newTrace();
  const customer = {
    customer_name: `${CANARY} Muster`,
    customer_email: `${CANARY}@example.org`,
    address_street: `${CANARY}weg 1`,
  };
  const body = { shop_id: organization.shops[0].shopId, external_id: CANARY, ...customer };
  const answer = await organization.api('POST', '/orders', body, headers);
  expect(answer.status).toBe(201);
  await organization.api('GET', `/orders?q=${CANARY}`, undefined, headers);
  await http(`${stack.urls.gateway}/no/${CANARY}?key=${CANARY}`, { headers });
  await organization.connector({
    body: orderRequest({ customer_name: CANARY }),
    tail: `?apikey=${CANARY}`,
    key: null,
    headers,
  });
  await organization.connector({ body: orderRequest({ external_reference: CANARY }), headers });
  await collector.trace(traceId, ['webhook POST', 'orders.list', 'order-requests.submit-external', 'GET']);
  const sent = collector.bodies.join('\n');
  expect(sent).toContain(traceId);
  for (const secret of [
    CANARY,
    organization.token,
    organization.apiKey.text,
    organization.integrationKey.text,
    receiver.url,
  ])
    expect(sent).not.toContain(secret);
});

it('goes on when the collector is gone', async () => {
  await collector.close();
  const { headers } = newTrace();
  for (let turn = 0; turn < 5; turn++)
    expect((await organization.api('GET', '/orders', undefined, headers)).status).toBe(200);
  const startedAt = performance.now();
  await stack.apps.gateway.stop();
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  await stack.apps.gateway.start();
  collector = await TraceCollector.start();
});
