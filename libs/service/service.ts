import type { Type } from '@nestjs/common';
import { Bus } from '@offizin/bus/bus';
import { connectBus, pingBroker } from '@offizin/bus/connection';
import type { BusConnection } from '@offizin/bus/key-value';
import type { OperationServer } from '@offizin/bus/operation-server';
import { startOperationService } from '@offizin/bus/operation-service';
import { type ServiceName, subjectOf } from '@offizin/contracts/calls/operation';
import { operationsOf } from '@offizin/contracts/operations';
import type { EventIntakeOptions } from '@offizin/events/event-intake';
import { EventPublisher } from '@offizin/events/event-publisher';
import { EventConsumer } from '@offizin/events/event-stream';
import type { AskUnknown } from '@offizin/events/outbox-confirmations';
import { observeOutbox, outboxNotice } from '@offizin/events/outbox-metrics';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { observeSetAside, setAsideNotice, setMessagesAside } from '@offizin/events/set-aside';
import { eventsUnknownTo, relayQuestions } from '@offizin/events/unknown-events';
import { Idempotency } from '@offizin/idempotency/idempotency';
import type { CallShares } from '@offizin/operations/call-shares';
import { Database, type DatabaseOptions } from '@offizin/pg/database';
import { migrate, newerMigrations, requireMigrations, untilMigrated } from '@offizin/pg/migrate';
import { isRefusedData } from '@offizin/pg/database-failures';
import { whenReachable } from '@offizin/pg/when-reachable';
import { ownCallKeys } from '@offizin/runtime/call-keys';
import { log } from '@offizin/runtime/log';
import { MigrationConfig, type ServiceConfig } from '@offizin/runtime/process-config';
import type { Management } from '@offizin/runtime/management';
import { type RunningApp, runProcess, runToEnd } from '@offizin/runtime/process';
import { warmUp } from './warm-up';

/** A process that owns data: a database schema with an outbox, operations on the bus and a consumer of events. */
export interface ServiceDefinition<Config extends ServiceConfig> {
  name: ServiceName;
  config: new () => Config;
  database: Pick<DatabaseOptions, 'schema' | 'entities' | 'migrations' | 'settings'>;
  /** Filter of the subjects that the service consumes. */
  eventSubjects: string;
  /** One service creates the streams and buckets of the broker; the others wait for it. */
  createsStreams?: boolean;
  /** As of IdempotencyKeyStore, where objects are erased. */
  isErased?: (objectId: string) => string;
  /** Asks the consumers which events they do not know. By default all consumers of the topic, over the bus. */
  askUnknown?: (context: Pick<ServiceContext<Config>, 'bus' | 'database'>) => AskUnknown;
  prepare: (context: ServiceContext<Config>) => ServiceParts | Promise<ServiceParts>;
}

export interface ServiceContext<Config extends ServiceConfig> {
  config: Config;
  management: Management;
  database: Database;
  connection: BusConnection;
  bus: Bus;
  relay: OutboxRelay;
}

export interface BackgroundWork {
  start: () => void;
  /** Resolves when the work in progress has finished. */
  stop: () => Promise<void>;
}

export interface ServiceParts {
  module: Type;
  /** What the handlers ask for, each by its class. */
  parts: readonly object[];
  takeEvents: EventIntakeOptions['handle'];
  /** Limits of each organization; without them every call starts immediately. */
  shares?: CallShares;
  background: readonly BackgroundWork[];
  /** Opens a second port for the operations of this server. */
  listen?: (server: OperationServer) => Promise<Listener>;
  /** Called after the operations, the background work and the relay have stopped. */
  close?: () => void | Promise<void>;
}

interface Listener {
  drain: () => void;
  close: () => Promise<void>;
}

/** The statements of a migration follow one another; its lock has another connection. */
const MIGRATION_POOL = 2;

/**
 * Runs a service until SIGTERM. Until its schema has all migrations, it is not ready and takes no calls.
 * `node main.js migrate` migrates its schema and exits instead.
 */
export async function runService<Config extends ServiceConfig>(
  definition: ServiceDefinition<Config>,
): Promise<void> {
  const { name } = definition;
  if (process.argv[2] === 'migrate')
    return runToEnd(name, MigrationConfig, (config) => migrateOnly(definition, config));
  await runProcess(name, definition.config, async (config, management) => {
    const { databaseUrl, databasePool } = config;
    const database = await connected(definition, databaseUrl, databasePool);
    const { dataSource } = database;
    if (config.migrateOnStart) await whenReachable(() => migrate(dataSource, databaseUrl));
    management.addCheck('schema', () => requireMigrations(dataSource));
    await untilMigrated(dataSource);
    await warnOfNewer(database);
    return serve(definition, config, management, database);
  });
}

async function migrateOnly<Config extends ServiceConfig>(
  definition: ServiceDefinition<Config>,
  { databaseUrl }: MigrationConfig,
): Promise<void> {
  const database = await connected(definition, databaseUrl, MIGRATION_POOL);
  await whenReachable(() => migrate(database.dataSource, databaseUrl));
  await warnOfNewer(database);
  await database.close();
}

function connected<Config extends ServiceConfig>(
  { name, database }: ServiceDefinition<Config>,
  databaseUrl: string,
  poolSize: number,
): Promise<Database> {
  return whenReachable(() => Database.connect({ ...database, databaseUrl, poolSize, applicationName: name }));
}

async function warnOfNewer({ dataSource }: Database): Promise<void> {
  const newer = await whenReachable(() => newerMigrations(dataSource));
  if (newer.length > 0) log.warn({ migrations: newer }, 'a newer version migrated this schema');
}

async function serve<Config extends ServiceConfig>(
  definition: ServiceDefinition<Config>,
  config: Config,
  management: Management,
  database: Database,
): Promise<RunningApp> {
  const { name, createsStreams = false } = definition;
  const { schema } = definition.database;
  observe(management, database, schema);
  const connection = await connectBus({ ...config, name, makesStreams: createsStreams });
  const keys = ownCallKeys(name, config.callKeys);
  const bus = new Bus(connection, keys);
  const relay = outboxRelay(definition, config, { bus, database, connection });
  const parts = await definition.prepare({ config, management, database, connection, bus, relay });
  const consumer = new EventConsumer(connection, {
    durable: name,
    filterSubject: definition.eventSubjects,
    ackWaitSeconds: config.eventAckWaitSeconds,
    handle: parts.takeEvents,
    isRefusedData,
    setAside: (messages) => setMessagesAside(database, schema, messages),
  });
  const idempotency = new Idempotency(database, schema, config.idempotencySecret, definition.isErased);
  const around = parts.shares?.around(idempotency.around) ?? idempotency.around;
  const service = await startOperationService({
    service: name,
    module: {
      module: parts.module,
      providers: parts.parts.map((part) => ({ provide: part.constructor, useValue: part })),
    },
    operations: operationsOf(name),
    connection,
    keys,
    around,
    beforeCalls: (server) =>
      warmUp({ service: name, around, handlerOf: (op) => server.handlerOf(subjectOf(op)) }),
  });
  const listener = await parts.listen?.(service.server);
  management.addCheck('database', () => database.ping()).addCheck('bus', () => pingBroker(connection));
  management.addNotice('events', () => consumer.notice());
  consumer.observe();
  const background = [consumer, idempotency, ...parts.background];
  for (const work of [relay, ...background]) work.start();
  return {
    drain: listener?.drain,
    stop: async () => {
      await Promise.all([service.stop(), listener?.close()]);
      await Promise.all(background.map((work) => work.stop()));
      await relay.stop();
      await parts.close?.();
      await connection.drain();
      await database.close();
    },
  };
}

function outboxRelay<Config extends ServiceConfig>(
  { name, database: { schema }, askUnknown }: ServiceDefinition<Config>,
  { databaseUrl, outboxReconcileSeconds: reconcileSeconds }: Config,
  context: { bus: Bus; database: Database; connection: BusConnection },
): OutboxRelay {
  const { bus, connection } = context;
  const unknown: AskUnknown =
    askUnknown?.(context) ?? ((topic, ids) => eventsUnknownTo(bus, name, topic, ids));
  const publish = new EventPublisher(connection, name).publish;
  const questions = relayQuestions(connection, unknown);
  return new OutboxRelay({ databaseUrl, schema, publish, reconcileSeconds, ...questions });
}

function observe(management: Management, database: Database, schema: string): void {
  management.addNotice('outbox', () => outboxNotice(database, schema));
  management.addNotice('set_aside', () => setAsideNotice(database, schema));
  database.observe();
  observeOutbox(database, schema);
  observeSetAside(database, schema);
}
