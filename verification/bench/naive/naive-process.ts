import 'reflect-metadata';
import { Body, Controller, HttpCode, Inject, Module, Post, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientProxy, ClientsModule, MessagePattern, Payload, Transport } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { firstValueFrom } from 'rxjs';
import { DataSource } from 'typeorm';
import { naiveEntities, NaiveOrderBody, saveOrder } from './naive-orders';

/**
 * What the benchmark calls naive: the same upsert as NestJS is shown in its own documentation. A gateway that validates
 * and sends through ClientProxy, a service that validates again and saves entity by entity through TypeORM; two
 * processes, as the product has. Without authentication, rate limit, access log, relay and idempotency, which are to its
 * advantage, and on Fastify instead of Express, which is, too.
 *
 * `node naive-process.js gateway|service`; says `{ "ready": true }` to the process that forked it.
 */
const PATTERN = 'naive.orders.upsert';
const { NATS_URL = '', NATS_USER = '', NATS_PASSWORD = '', DATABASE_URL = '', PORT = '0' } = process.env;
const natsOptions = { servers: [NATS_URL], user: NATS_USER, pass: NATS_PASSWORD };

@Controller('orders')
class NaiveGateway {
  constructor(@Inject('ORDERS') private readonly orders: ClientProxy) {}

  @Post()
  @HttpCode(200)
  upsert(@Body() body: NaiveOrderBody): Promise<object> {
    return firstValueFrom(this.orders.send<object>(PATTERN, body));
  }
}

@Module({
  imports: [ClientsModule.register([{ name: 'ORDERS', transport: Transport.NATS, options: natsOptions }])],
  controllers: [NaiveGateway],
})
class NaiveGatewayModule {}

@Controller()
class NaiveService {
  constructor(private readonly dataSource: DataSource) {}

  @MessagePattern(PATTERN)
  upsert(@Payload() body: NaiveOrderBody): Promise<object> {
    return saveOrder(this.dataSource, body);
  }
}

@Module({
  controllers: [NaiveService],
  providers: [
    {
      provide: DataSource,
      useFactory: () =>
        new DataSource({
          type: 'postgres',
          url: DATABASE_URL,
          schema: 'bench_raw',
          entities: naiveEntities,
          poolSize: 16,
        }).initialize(),
    },
  ],
})
class NaiveServiceModule {}

async function serveGateway(): Promise<void> {
  const app = await NestFactory.create(NaiveGatewayModule, new FastifyAdapter(), { logger: false });
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
  await app.listen(Number(PORT), '127.0.0.1');
}

async function serveService(): Promise<void> {
  const app = await NestFactory.createMicroservice(NaiveServiceModule, {
    transport: Transport.NATS,
    options: natsOptions,
    logger: false,
  });
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
  await app.listen();
}

void (process.argv[2] === 'gateway' ? serveGateway() : serveService()).then(() => {
  process.send?.({ ready: true });
});
