import { type DynamicModule, Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { connectorOperations } from '@offizin/contracts/operations';
import type { Operation } from '@offizin/contracts/calls/operation';
import { listPartnerProducts } from '@offizin/contracts/products/products';
import { readPartnerShop } from '@offizin/contracts/requests/partner-shop';
import { KeyUses } from '@offizin/directory/api-key';
import { DirectoryReplica } from '@offizin/directory/replica';
import { CoreProxy } from '@offizin/http-edge/core-proxy';
import { operationRoutes } from '@offizin/http-edge/operation-routes';
import { RateLimitGuard } from '@offizin/http-edge/rate-limit.guard';
import { type RateLimit, RateLimiter } from '@offizin/http-edge/rate-limiter';
import { KeyOfRequest } from '@offizin/http-edge/unrouted-calls';
import {
  actorIdOf,
  IntegrationKeyGuard,
  IntegrationKeyStrategy,
  ShopGuard,
} from './authentication/integration-key.guard';
import { ConnectorForwarder } from './forwarding/connector-forwarder';
import { ShopHandlers } from './shop/shop.handlers';

export interface ConnectorEdgeParts {
  proxy: CoreProxy;
  directory: DirectoryReplica;
  keyUses: KeyUses;
  rate: RateLimit;
  /** Of the list of products alone, so that reading it never delays an order request. */
  assortmentRate: RateLimit;
  /** Number of replicas that share the rate limits. */
  replicas: () => number;
}

/** shop from host -> key -> rate limit -> size -> proxy. Routes derive from libs/contracts/operations. */
@Module({})
export class ConnectorEdgeModule {
  static with(parts: ConnectorEdgeParts): DynamicModule {
    const { rate, assortmentRate, replicas } = parts;
    const rateLimit = new RateLimitGuard('connector', new RateLimiter(rate, replicas), actorIdOf);
    const ofAssortment = new RateLimiter(assortmentRate, replicas);
    const assortmentLimit = new RateLimitGuard('assortment', ofAssortment, actorIdOf);
    const guards = (op: Operation) => [
      ShopGuard,
      IntegrationKeyGuard,
      op === listPartnerProducts ? assortmentLimit : rateLimit,
    ];
    const forwarded = connectorOperations.filter(({ service }) => service !== 'connector-edge');
    const shop = new ShopHandlers({
      requests_per_second: rate.perSecond,
      requests_burst: rate.burst,
      products_per_second: assortmentRate.perSecond,
    });
    return {
      module: ConnectorEdgeModule,
      imports: [PassportModule],
      controllers: [
        ...operationRoutes(forwarded, ConnectorForwarder, guards),
        ...operationRoutes([readPartnerShop], ShopHandlers, guards),
      ],
      providers: [
        IntegrationKeyStrategy,
        ShopGuard,
        ConnectorForwarder,
        { provide: ShopHandlers, useValue: shop },
        { provide: CoreProxy, useValue: parts.proxy },
        { provide: DirectoryReplica, useValue: parts.directory },
        { provide: KeyUses, useValue: parts.keyUses },
        { provide: RateLimitGuard, useValue: rateLimit },
        { provide: KeyOfRequest, useExisting: IntegrationKeyStrategy },
      ],
    };
  }
}
