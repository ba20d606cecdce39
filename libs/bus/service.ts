import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NatsConnection } from 'nats';
import { type Operation, type ServiceName, subjectOf } from '@offizin/contracts/operation';
import { operationsOf } from '@offizin/contracts/operations';
import type { CallKeys } from '@offizin/runtime/call-keys';
import { NestLog } from '@offizin/runtime/log';
import type { AroundCall } from '@offizin/runtime/serve-operation';
import { OperationServer } from './operation-server';

export interface OperationService {
  server: OperationServer;
  /** Answers what is under way and takes no more. */
  stop: () => Promise<void>;
}

interface ServiceOptions {
  service: ServiceName;
  module: Type | DynamicModule;
  connection: NatsConnection;
  keys: CallKeys;
  around?: AroundCall;
}

/** Starts a service with all its operations. Throws when one of them has no handler: it would be answered with 503. */
export function startService(options: ServiceOptions): Promise<OperationService> {
  return startOperationService({ ...options, operations: operationsOf(options.service) });
}

/** Starts the Nest application of a service on its operations' subjects; all its replicas share one queue group. */
export async function startOperationService(
  options: ServiceOptions & { operations?: readonly Operation[] },
): Promise<OperationService> {
  const server = new OperationServer(options.connection, options.keys, options.service, options.around);
  const app = await NestFactory.createMicroservice(options.module, {
    strategy: server,
    logger: new NestLog(),
    abortOnError: false,
  });
  await app.init();
  requireHandlers(server, options.operations ?? []);
  await app.listen();
  // The subscriptions are on their way: once the broker answers, it has them, and nobody is told that we are not there.
  await options.connection.flush();
  return { server, stop: () => app.close() };
}

function requireHandlers(server: OperationServer, operations: readonly Operation[]): void {
  const handlers = server.getHandlers();
  const missing = operations.filter((op) => !handlers.has(subjectOf(op))).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`no handler for ${missing.join(', ')}`);
}
