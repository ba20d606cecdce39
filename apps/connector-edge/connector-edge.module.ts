import { type DynamicModule, Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { connectorOperations } from '@offizin/contracts/operations';
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
}

/** shop from host -> key -> rate limit -> size -> proxy. Routes derive from libs/contracts/operations. */
@Module({})
export class ConnectorEdgeModule {
  static with(parts: ConnectorEdgeParts): DynamicModule {
    const rateLimit = new RateLimitGuard('connector', parts.limiter, actorIdOf);
    return {
      module: ConnectorEdgeModule,
      imports: [PassportModule],
      controllers: operationRoutes(connectorOperations, ConnectorForwarder, () => [
        ShopGuard,
        IntegrationKeyGuard,
        rateLimit,
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
