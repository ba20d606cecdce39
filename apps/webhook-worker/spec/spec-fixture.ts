import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { randomBytes } from 'node:crypto';
import { EventIntake } from '@offizin/events/event-intake';
import { readMessage } from '@offizin/events/event-message';
import type { ObservedDeliveryBody } from '@offizin/contracts/requests/certification';
import type { ReadForCallbackBody, ReadForCallbackResponse } from '@offizin/contracts/requests/callbacks';
import type { Caller } from '@offizin/contracts/calls/caller';
import type { EventType, OutboxEvent } from '@offizin/contracts/webhooks/events';
import type { Operation, ReplyOf } from '@offizin/contracts/calls/operation';
import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import * as webhooks from '@offizin/contracts/webhooks/webhooks';
import { Egress } from '@offizin/egress/send';
import { type Database, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { buildEvent, timedEvent } from '@offizin/events/outbox';
import { isRefusedData } from '@offizin/pg/database-failures';
import { setMessagesAside } from '@offizin/events/set-aside';
import type { OperationHandler } from '@offizin/operations/serve-operation';
import { serveInSpec } from '@offizin/operations/serve-in-spec';
import { readConfig } from '@offizin/runtime/config';
import { specDatabase, type TestDatabase } from '@offizin/testkit/database';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { closeServer, listenOnLoopback } from '@offizin/testkit/loopback';
import { silentRelay } from '@offizin/testkit/outbox-stage';
import { webhookWorkerSchema } from '../db/schema';
import { CallbackBodies } from '../deliveries/callback-bodies';
import { CallbackTrials } from '../deliveries/callback-trials';
import { DeliveryEngine, type EngineOptions } from '../deliveries/delivery-engine';
import { SecretEncryption } from '../deliveries/secret-encryption';
import { Targets } from '../deliveries/targets.store';
import { Inbox } from '../events/inbox';
import { WebhookWorkerConfig } from '../config';
import { DeliveriesHandlers } from '../deliveries/deliveries.handlers';
import { HealthHandlers } from '../deliveries/health.handlers';
import { EventsHandlers } from '../events/events.handlers';
import { CallbacksHandlers } from '../subscriptions/callbacks.handlers';
import { SubscriptionsHandlers } from '../subscriptions/subscriptions.handlers';

export interface Stage {
  worker: WorkerFixture;
  subscriber: Subscriber;
}

/** One database per file; per test an organization and a subscriber, passed to `take`. */
export function workerSpec(take: (stage: Stage) => void): Pick<TestDatabase, 'database' | 'url'> {
  const test = specDatabase(webhookWorkerSchema);
  let stage: Stage | undefined;
  beforeEach(async () => {
    stage = { worker: new WorkerFixture(test.database), subscriber: await Subscriber.start() };
    take(stage);
  });
  afterEach(async () => {
    await stage?.worker.stopEngines();
    await stage?.subscriber.close();
  });
  return test;
}

/**
 * For specs only: one organization on a real database, with the worker's operations, its inbox, and the delivery
 * engines that a spec starts. There is no bus and no broker.
 */
export class WorkerFixture {
  readonly orgId = newId();
  readonly inbox: Inbox;
  /** What order-core answers about a callback. */
  readForCallback: (requested: ReadForCallbackBody) => Promise<ReadForCallbackResponse> = () =>
    Promise.reject(new Error('there is no order-core'));
  /** The deliveries at test shops that order-core got to know. */
  readonly observed: ObservedDeliveryBody[] = [];
  private readonly secrets = new SecretEncryption([randomBytes(32)]);
  private readonly handlers: ReadonlyMap<string, OperationHandler>;
  private readonly engines: DeliveryEngine[] = [];
  private readonly egresses: Egress[] = [];

  constructor(
    readonly database: Database,
    limits: Record<string, string> = { EGRESS_ALLOW_LOOPBACK: 'true', EGRESS_ALLOW_HTTP: 'true' },
  ) {
    const wake = (ids: Iterable<string>): void => this.engines.forEach((engine) => engine.wake(ids));
    this.inbox = new Inbox(database, wake);
    this.handlers = handlersOf(database, this.secrets, limits, this.newEngine({}));
  }

  /** Takes a message of the stream as the worker's consumer does. */
  async takeMessage(message: string | Uint8Array, subject = 'events.plain.order-core'): Promise<void> {
    const intake = new EventIntake({
      handle: this.inbox.handle,
      isRefusedData,
      setAside: (letters) => setMessagesAside(this.database, 'webhooks', letters),
    });
    await intake.take(readMessage({ subject, data: Buffer.from(message) }), () => undefined);
  }

  /** A running engine, as one more replica. */
  startEngine(options: Partial<EngineOptions> = {}): DeliveryEngine {
    const engine = this.newEngine(options);
    this.engines.push(engine);
    engine.start();
    return engine;
  }

  /** Wakes every running engine for all subscriptions of the organization, like a batch of events. */
  async ringEngines(): Promise<void> {
    const found = await this.sql<{ id: string }>(
      'SELECT id FROM webhooks.subscriptions WHERE org_id = $1',
      this.orgId,
    );
    for (const engine of this.engines) engine.wake(found.map(({ id }) => id));
  }

  /** Simulates an engine whose process died: stopEngines does not stop it. */
  abandon(engine: DeliveryEngine): void {
    this.engines.splice(this.engines.indexOf(engine), 1);
  }

  async stopEngines(): Promise<void> {
    await Promise.all(this.engines.splice(0).map((engine) => engine.stop()));
    await Promise.all(this.egresses.splice(0).map((egress) => egress.close()));
  }

  /** Runs an operation; `body` is the answer, or the error body. */
  async call<O extends Operation>(
    op: O,
    request: {
      params?: Record<string, string>;
      query?: string;
      body?: unknown;
      orgId?: string;
      caller?: Caller;
    } = {},
  ): Promise<{ status: number; body: ReplyOf<O> }> {
    const handler = this.handlers.get(op.name);
    if (!handler) throw new Error(`no handler of ${op.name}`);
    const answer = await serveInSpec(op, handler, {
      caller: request.caller ?? callerFor(op, request.orgId ?? this.orgId),
      params: request.params ?? {},
      queryString: request.query ?? '',
      headers: {},
      body: request.body,
    });
    const text = Buffer.from(answer.body).toString();
    return { status: answer.status, body: (text === '' ? null : JSON.parse(text)) as ReplyOf<O> };
  }

  async subscribe(
    url: string,
    settings: Partial<webhooks.WebhookCreateBody> = {},
  ): Promise<webhooks.WebhookSubscriptionWithSecret> {
    const { status, body } = await this.call(webhooks.createWebhook, { body: { url, ...settings } });
    if (status !== 201) throw new Error(`webhooks.create answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  event(aggregateId: string = newId(), sequence = 1, eventType: EventType = 'order_updated'): OutboxEvent {
    const { orgId } = this;
    const texts = { title: 'Order changed', description: 'An order changed.' };
    const about = { orgId, eventType, aggregateId, sequence, topic: 'plain' as const };
    return timedEvent(buildEvent({ ...about, ...texts, metadata: { order_id: aggregateId } }), new Date());
  }

  /** Events of one aggregate, in order. */
  eventsOfOneObject(count: number, aggregateId: string = newId()): OutboxEvent[] {
    return Array.from({ length: count }, (_, index) => this.event(aggregateId, index + 1));
  }

  /** Runs SQL of a spec, to read rows or to change their times. */
  async sql<Row extends object>(text: string, ...params: unknown[]): Promise<Row[]> {
    return this.database.rows(statement<Row, unknown[]>(`spec_${hash(text)}`, text), ...params);
  }

  async deliveries(): Promise<DeliveryState[]> {
    return this.sql(
      `SELECT id, event_id, sequence, status, attempt_count, lease_token FROM webhooks.deliveries
       WHERE org_id = $1 ORDER BY event_id`,
      this.orgId,
    );
  }

  private newEngine(options: Partial<EngineOptions>): DeliveryEngine {
    const egress = new Egress({ allowHttp: true, allowLoopback: true });
    this.egresses.push(egress);
    return new DeliveryEngine({
      database: this.database,
      egress,
      targets: new Targets(this.database, this.secrets),
      callbacks: new CallbackBodies({
        database: this.database,
        read: (requested) => this.readForCallback(requested),
        onEnded: () => undefined,
      }),
      trials: new CallbackTrials({
        egress,
        observe: async (observed) => this.observed.push(observed),
      }),
      requestsPerEndpoint: 8,
      requestsInFlight: 512,
      onSwitchedOff: () => undefined,
      ...options,
    });
  }
}

export interface DeliveryState {
  id: string;
  event_id: string;
  sequence: number;
  status: webhooks.DeliveryStatus;
  attempt_count: number;
  lease_token: string | null;
}

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  /** Of the event's metadata. */
  orderId: string;
  sequence: number;
}

/** A subscriber on loopback that records requests. `answer` gives the status; `hang` never answers. */
export class Subscriber {
  readonly received: Received[] = [];
  answer: (request: Received) => number | 'hang' | Promise<number> = () => 200;
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<Subscriber> {
    const server = createServer();
    const port = await listenOnLoopback(server);
    const subscriber = new Subscriber(server, `http://127.0.0.1:${port}/webhooks/service`);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const { metadata } = JSON.parse(body) as { metadata: { order_id: string; sequence: number } };
        const received = {
          headers: request.headers,
          body,
          orderId: metadata.order_id,
          sequence: metadata.sequence,
        };
        subscriber.received.push(received);
        void Promise.resolve(subscriber.answer(received)).then((status) => {
          if (status !== 'hang') response.writeHead(status).end(`answered ${status}`);
        });
      });
    });
    return subscriber;
  }

  close(): Promise<void> {
    return closeServer(this.server);
  }
}

function callerFor(op: Operation, orgId: string): Caller {
  const caller = { shopId: null, actorId: 'spec', requestId: 'spec' };
  if (op.access === 'internal') return { ...caller, kind: 'service', orgId: '', scopes: [] };
  return { ...caller, kind: op.consoleOnly ? 'staff' : 'key', orgId, scopes: ALL_SCOPES };
}

/** Statement names are unique per text. */
function hash(text: string): string {
  let value = 0;
  for (const character of text) value = (value * 31 + (character.codePointAt(0) ?? 0)) | 0;
  return String(value >>> 0);
}

/** Every operation of the worker, without a bus. */
function handlersOf(
  database: Database,
  secrets: SecretEncryption,
  limits: Record<string, string>,
  engine: DeliveryEngine,
): ReadonlyMap<string, OperationHandler> {
  const relay = silentRelay('webhooks');
  const config = configWith(limits);
  const handlers = handlersIn(
    new SubscriptionsHandlers(database, relay, secrets, config),
    new CallbacksHandlers(database, relay, secrets, config),
    new DeliveriesHandlers(database, relay, engine),
    new HealthHandlers(database),
    new EventsHandlers(database),
  );
  return new Map(handlers.map(([op, handler]) => [op.name, handler]));
}

function configWith(limits: Record<string, string>): WebhookWorkerConfig {
  return readConfig(WebhookWorkerConfig, {
    NATS_URL: 'nats://127.0.0.1:1',
    NATS_USER: 'spec',
    NATS_PASSWORD: 'spec',
    CALL_KEYS: '{"out":{},"in":{}}',
    IDEMPOTENCY_SECRET: 'a secret of at least 32 characters',
    DATABASE_URL: 'postgres://127.0.0.1:1/spec',
    MASTER_KEY: Buffer.alloc(32).toString('base64'),
    ...limits,
  });
}
