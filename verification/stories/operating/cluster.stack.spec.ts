import { probeBroker } from '@offizin/events/broker-probe';
import type { AppProcess } from '@offizin/local-stack/apps';
import type { Stack } from '@offizin/local-stack/stack';
import type { SupervisedProcess } from '@offizin/local-stack/supervised-process';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { History } from '@offizin/testkit/load/history';
import {
  orderSubmission,
  requestSubmission,
  type Submission,
  submitAll,
} from '@offizin/testkit/load/submissions';
import type { TestOrganization } from '@offizin/testkit/organization';
import { type OwnStack, SHORT_WAITS, startOwnStack } from '@offizin/testkit/own-stack';
import { accessTo, uniqueTag } from '@offizin/testkit/platform';
import { walkPages } from '@offizin/testkit/walk-pages';
import { type WebhookBody, WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/**
 * Three NATS servers and two replicas of each app; any one process dies under load, the leader of the stream of events
 * too. Nothing is lost or doubled, and callers need nothing but to repeat.
 */
let own: OwnStack;
let stack: Stack;
let organization: TestOrganization;
let receiver: WebhookReceiver;

beforeAll(async () => {
  own = await startOwnStack(SHORT_WAITS, { cluster: true, restart: true });
  stack = own.stack;
  organization = await own.platform.organization();
  receiver = await WebhookReceiver.start();
  expect((await organization.api('POST', '/webhooks', { url: receiver.url })).status).toBe(201);
}, 120_000);
afterAll(async () => {
  await receiver.close();
  await own.stop();
}, 60_000);

const history = new History(null);
let isOver = false;

/** Every other one an order, the rest order requests, until the killing is over. */
function* submissions(): Generator<Submission> {
  while (!isOver)
    yield* [orderSubmission(organization, uniqueTag()), requestSubmission(organization, uniqueTag())];
}

/** Keys of what callers were answered ok for. */
function taken(kind: Submission['kind']): string[] {
  const ok = history.operations.filter((operation) => operation.kind === kind && operation.outcome === 'ok');
  return ok.map(({ key }) => key).sort();
}

/** Kills it, and waits until it is back and calls are taken again. */
async function killUnderLoad(one: SupervisedProcess | AppProcess): Promise<void> {
  const { pid } = one;
  if (pid === undefined) throw new Error(`${one.name} does not run`);
  process.kill(pid, 'SIGKILL');
  await eventually('the process to be gone', () => one.pid !== pid, 10_000);
  const before = takenCount();
  await eventually('calls to be taken', () => takenCount() > before + 10, 20_000);
  await eventually('the process to be back', () => one.pid !== undefined && one.pid !== pid, 20_000);
  await one.ready(30_000);
}

function takenCount(): number {
  return history.operations.filter(({ outcome }) => outcome === 'ok').length;
}

async function leader(): Promise<SupervisedProcess> {
  const name = await eventually(
    'a leader',
    async () => (await probeBroker(accessTo(stack))).events?.leader,
    20_000,
  );
  const broker = stack.brokers.find(({ process }) => process.name === name);
  if (!broker) throw new Error(`there is no server ${name}`);
  return broker.process;
}

it('keeps each stream on all three servers', async () => {
  const { events } = await probeBroker(accessTo(stack));
  expect(events).toMatchObject({ replicas: 3, keepsOld: true });
});

it('loses and doubles nothing, and callers only repeat, while one process after the other is killed', async () => {
  const noPauses = { pauseMs: 0, random: { next: () => 0 } };
  const loaded = submitAll(submissions(), { history, submitters: 4, giveUpMs: 20_000, ...noPauses });
  try {
    await killUnderLoad(await leader());
    for (const one of Object.values(stack.apps)) await killUnderLoad(one);
    await killUnderLoad(await leader());
  } finally {
    isOver = true;
    await loaded;
  }

  // Null: the connection broke.
  const unexpected = history.operations.filter(
    ({ status }) => ![200, 201, 502, 503, 504, null].includes(status),
  );
  expect(unexpected).toEqual([]);
  expect(await everyValue('/orders', 'external_id')).toEqual(taken('order'));
  expect(await everyValue('/order-requests', 'external_reference')).toEqual(taken('request'));

  const expected = takenCount();
  const isNew = ({ event_type }: WebhookBody) =>
    ['order_created', 'order_request_submitted'].includes(event_type);
  await eventually('an event for each', () => deliveries(isNew).size === expected, 60_000);
  const events = [...deliveries(isNew).values()];
  expect(new Set(events).size).toBe(expected);
}, 300_000);

/** Event id by delivery id: a repeat has the same delivery id. */
function deliveries(fits: (event: WebhookBody) => boolean): Map<string, string> {
  const events = receiver.received.map(({ headers, body }): [string, WebhookBody] => [
    String(headers['webhook-id']),
    JSON.parse(body.toString()) as WebhookBody,
  ]);
  return new Map(events.filter(([, event]) => fits(event)).map(([id, event]) => [id, event.id]));
}

async function everyValue(path: string, field: string): Promise<string[]> {
  const rows = await walkPages(async (ofCursor) =>
    json<{ data: Record<string, string>[] }>(await organization.api('GET', `${path}?limit=200${ofCursor}`)),
  );
  return rows.map((row) => row[field] ?? '').sort();
}
