import { probeBroker } from '@offizin/events/broker-probe';
import type { AppProcess } from '@offizin/local-stack/apps';
import type { Stack } from '@offizin/local-stack/stack';
import type { SupervisedProcess } from '@offizin/local-stack/supervised-process';
import { eventually } from '@offizin/testkit/eventually';
import { type OwnStack, SHORT_WAITS, startOwnStack } from '@offizin/testkit/own-stack';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { accessTo, uniqueTag } from '@offizin/testkit/platform';
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

/** Callers that repeat whatever is unknown, as a client should; keeps what was acknowledged and what was seen. */
class Callers {
  readonly orders: string[] = [];
  readonly requests: string[] = [];
  readonly seen = new Map<string, number>();
  private stopped = false;
  private readonly running: Promise<void>[];

  constructor(callers: number) {
    this.running = Array.from({ length: callers }, (_, index) =>
      this.callUntilStopped(() => (index % 2 === 0 ? this.upsert() : this.handIn())),
    );
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.running);
  }

  private async callUntilStopped(call: () => Promise<void>): Promise<void> {
    while (!this.stopped) await call();
  }

  private async upsert(): Promise<void> {
    const external_id = uniqueTag();
    const body = { shop_id: organization.shops[0].shopId, external_id };
    await this.untilTaken(() => organization.api('POST', '/orders', body));
    this.orders.push(external_id);
  }

  private async handIn(): Promise<void> {
    const external_reference = uniqueTag();
    const body = orderRequest({}, { external_reference });
    await this.untilTaken(() => organization.connector({ body }));
    this.requests.push(external_reference);
  }

  private async untilTaken(send: () => Promise<HttpAnswer>): Promise<void> {
    await eventually(
      'the call to be taken',
      async () => {
        const outcome = await send().then(
          (answer) => String(answer.status),
          () => 'connection broken',
        );
        this.seen.set(outcome, (this.seen.get(outcome) ?? 0) + 1);
        return outcome.startsWith('2');
      },
      20_000,
    );
  }
}

/** Kills it, and waits until it is back and calls are taken again. */
async function killUnderLoad(one: SupervisedProcess | AppProcess, callers: Callers): Promise<void> {
  const { pid } = one;
  if (pid === undefined) throw new Error(`${one.name} does not run`);
  process.kill(pid, 'SIGKILL');
  await eventually('the process to be gone', () => one.pid !== pid, 10_000);
  const taken = callers.orders.length + callers.requests.length;
  await eventually(
    'calls to be taken',
    () => callers.orders.length + callers.requests.length > taken + 10,
    20_000,
  );
  await eventually('the process to be back', () => one.pid !== undefined && one.pid !== pid, 20_000);
  await one.ready(30_000);
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
  const callers = new Callers(4);
  try {
    await killUnderLoad(await leader(), callers);
    for (const one of Object.values(stack.apps)) await killUnderLoad(one, callers);
    await killUnderLoad(await leader(), callers);
  } finally {
    await callers.stop();
  }

  const unexpected = [...callers.seen.keys()].filter(
    (outcome) => !['200', '201', '502', '503', '504', 'connection broken'].includes(outcome),
  );
  expect(unexpected).toEqual([]);
  expect(await everyValue('/orders', 'external_id')).toEqual([...callers.orders].sort());
  expect(await everyValue('/order-requests', 'external_reference')).toEqual([...callers.requests].sort());

  const expected = callers.orders.length + callers.requests.length;
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
  const values: string[] = [];
  for (let offset = 0, total = 1; offset < total; offset += 200) {
    const answer = await organization.api('GET', `${path}?limit=200&offset=${offset}`);
    const page = json<{ data: Record<string, string>[]; pagination: { total: number } }>(answer);
    total = page.pagination.total;
    values.push(...page.data.map((item) => item[field] ?? ''));
  }
  return values.sort();
}
