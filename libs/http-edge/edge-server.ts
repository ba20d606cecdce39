import type { IncomingMessage, RequestListener } from 'node:http';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { log, NestLog } from '@offizin/runtime/log';
import { requestIdOf } from '@offizin/runtime/request-id';
import { runIn } from '@offizin/runtime/tracing';
import type { ConnectionLimits } from './connection-table';
import { ContractErrors, refusalOfRouter } from './contract-errors';
import { EdgeFront } from './edge-front';
import { operationOfRoute } from './edge-metrics';
import type { KnownRoute } from './known-route';
import { RateLimitGuard } from './rate-limit.guard';
import { RequestRecords } from './request-records';
import type { TrustedProxies } from './trusted-proxies';
import { KeyOfRequest, UnroutedCalls } from './unrouted-calls';

/**
 * Base of both HTTP edges. No body is parsed here: guards run first, then the route reads (read-body.ts) or proxies it
 * (core-proxy.ts).
 */
export async function createEdge(
  module: DynamicModule,
  operations: readonly KnownRoute[],
  { limits, trusted }: { limits: ConnectionLimits; trusted: TrustedProxies },
): Promise<NestFastifyApplication> {
  const routes = withHeads(operations);
  const records = new RequestRecords(operationOfRoute(routes));
  const front = new EdgeFront({ limits, trusted, records });
  log.info(
    {
      max: limits.maxConnections,
      max_per_address: limits.maxConnectionsPerAddress,
      trusted: trusted.toString(),
    },
    'connections are counted by the address of the socket; trusted proxies have no limit per address',
  );
  const errors: { filter?: ContractErrors } = {};
  const adapter = new FastifyAdapter({
    genReqId: (request: IncomingMessage) => requestIdOf(request.headers['x-request-id']),
    logger: false,
    trustProxy: (address: string) => trusted.has(address),
    exposeHeadRoutes: false,
    serverFactory: (handler: RequestListener) => front.serve(handler),
    clientErrorHandler: (error, socket) => front.refuseBytes(error, socket),
    forceCloseConnections: 'idle',
    // While draining, requests on open connections are still served.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 255 },
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      records.begin(request, reply);
      reply.raw.setHeader('X-Request-Id', request.id);
      errors.filter?.refuseUnrouted(request, reply, refusalOfRouter(error));
    },
    skipMiddie: true,
  });
  const server = adapter.getInstance();
  server.addHook('onRequest', (request, reply, done) => {
    // Set on the raw response, so that proxied answers carry it as well.
    reply.raw.setHeader('X-Request-Id', request.id);
    // Published files set their own.
    reply.raw.setHeader('cache-control', 'no-store');
    runIn(records.begin(request, reply), done);
  });
  leaveBodies(server);
  answerHeads(server);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new NestLog(),
    bodyParser: false,
    abortOnError: false,
  });
  const unrouted = new UnroutedCalls(app.get(KeyOfRequest), app.get(RateLimitGuard));
  errors.filter = new ContractErrors(routes, unrouted);
  app.useGlobalFilters(errors.filter);
  return app;
}

/** With a parser, Fastify would refuse an invalid Content-Type itself. */
function leaveBodies(server: FastifyInstance): void {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    server.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
}

/** HEAD runs the GET handler, so audited reads are recorded; Node.js omits the body. */
function answerHeads(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    if (route.method === 'GET') server.route({ ...route, method: 'HEAD' });
  });
}

function withHeads(routes: readonly KnownRoute[]): KnownRoute[] {
  return routes.flatMap((route) =>
    route.method === 'GET' ? [route, { ...route, method: 'HEAD' as const }] : route,
  );
}
