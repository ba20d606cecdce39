import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NatsConnection } from 'nats';
import type { ServiceName } from '@offizin/contracts/operation';
import type { CallKeys } from '@offizin/runtime/call-keys';
import { NestLog } from '@offizin/runtime/log';
import type { AroundCall } from '@offizin/runtime/serve-operation';
import { OperationServer } from './operation-server';

export interface OperationService {
  server: OperationServer;
  /** Answers what is under way and takes no more. */
  stop: () => Promise<void>;
}

/** Starts the Nest application of a service on its operations' subjects; all its replicas share one queue group. */
export async function startOperationService(options: {
  service: ServiceName;
  module: Type | DynamicModule;
  connection: NatsConnection;
  keys: CallKeys;
  around?: AroundCall;
}): Promise<OperationService> {
  const server = new OperationServer(options.connection, options.keys, options.service, options.around);
  const app = await NestFactory.createMicroservice(options.module, {
    strategy: server,
    logger: new NestLog(),
    abortOnError: false,
  });
  await app.listen();
  // The subscriptions are on their way: once the broker answers, it has them, and nobody is told that we are not there.
  await options.connection.flush();
  return { server, stop: () => app.close() };
}
