import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Operation, type ServiceName, subjectOf } from '@offizin/contracts/calls/operation';
import type { CallKeys } from '@offizin/runtime/call-keys';
import { NestLog } from '@offizin/runtime/log';
import type { AroundCall } from '@offizin/operations/serve-operation';
import type { BusConnection } from './key-value';
import { OperationServer } from './operation-server';

export interface OperationService {
  server: OperationServer;
  /** Answers the calls in flight and accepts no others. */
  stop: () => Promise<void>;
}

interface OperationServiceOptions {
  service: ServiceName;
  module: Type | DynamicModule;
  connection: BusConnection;
  keys: CallKeys;
  around?: AroundCall;
  operations?: readonly Operation[];
  /** Awaited before calls arrive: replicas share a queue group, whether they report ready or not. */
  beforeCalls?: (server: OperationServer) => Promise<void>;
}

/** All replicas share one queue group. Throws if one of `operations` has no handler: callers would get 503. */
export async function startOperationService(options: OperationServiceOptions): Promise<OperationService> {
  const server = new OperationServer(options.connection, options.keys, options.service, options.around);
  const app = await NestFactory.createMicroservice(options.module, {
    strategy: server,
    logger: new NestLog(),
    abortOnError: false,
  });
  await app.init();
  requireHandlers(server, options.operations ?? []);
  await options.beforeCalls?.(server);
  await app.listen();
  // The broker has received the subscriptions when it answers the flush.
  await options.connection.flush();
  return { server, stop: () => app.close() };
}

function requireHandlers(server: OperationServer, operations: readonly Operation[]): void {
  const handlers = server.getHandlers();
  const missing = operations.filter((op) => !handlers.has(subjectOf(op))).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`no handler for ${missing.join(', ')}`);
}
