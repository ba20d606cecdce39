import { type DynamicModule, Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { connectorOperations } from '@offizin/contracts/operations';
import { listPartnerProducts } from '@offizin/contracts/products/products';
import { KeyUses } from '@offizin/directory/api-key';
import { DirectoryReplica } from '@offizin/directory/replica';
import { CoreProxy } from '@offizin/http-edge/core-proxy';
import { operationRoutes } from '@offizin/http-edge/operation-routes';
import { RateLimitGuard } from '@offizin/http-edge/rate-limit.guard';
import { RateLimiter } from '@offizin/http-edge/rate-limiter';
import { KeyOfRequest } from '@offizin/http-edge/unrouted-calls';
import {
  actorIdOf,
  IntegrationKeyGuard,
  IntegrationKeyStrategy,
  ShopGuard,
} from './authentication/integration-key.guard';
import { ConnectorForwarder } from './forwarding/connector-forwarder';

export interface ConnectorEdgeParts {
  proxy: CoreProxy;
  directory: DirectoryReplica;
  keyUses: KeyUses;
  limiter: RateLimiter;
  /** Of the list of products alone, so that reading it never delays an order request. */
  assortmentLimiter: RateLimiter;
}

/** shop from host -> key -> rate limit -> size -> proxy. Routes derive from libs/contracts/operations. */
@Module({})
export class ConnectorEdgeModule {
  static with(parts: ConnectorEdgeParts): DynamicModule {
    const rateLimit = new RateLimitGuard('connector', parts.limiter, actorIdOf);
    const assortmentLimit = new RateLimitGuard('assortment', parts.assortmentLimiter, actorIdOf);
    return {
      module: ConnectorEdgeModule,
      imports: [PassportModule],
      controllers: operationRoutes(connectorOperations, ConnectorForwarder, (op) => [
        ShopGuard,
        IntegrationKeyGuard,
        op === listPartnerProducts ? assortmentLimit : rateLimit,
      ]),
      providers: [
        IntegrationKeyStrategy,
        ShopGuard,
        ConnectorForwarder,
        { provide: CoreProxy, useValue: parts.proxy },
        { provide: DirectoryReplica, useValue: parts.directory },
        { provide: KeyUses, useValue: parts.keyUses },
        { provide: RateLimitGuard, useValue: rateLimit },
        { provide: KeyOfRequest, useExisting: IntegrationKeyStrategy },
      ],
    };
  }
}
