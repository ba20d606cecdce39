import { type DynamicModule, Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { Bus } from '@offizin/bus/bus';
import { organizationOperations } from '@offizin/contracts/operations';
import { DirectoryReplica } from '@offizin/directory/replica';
import { CoreProxy } from '@offizin/http-edge/core-proxy';
import { operationRoutes } from '@offizin/http-edge/operation-routes';
import { GatewayConfig } from './config';
import { Forwarder } from './forwarding/forwarder';
import { ScopeGuard } from './forwarding/scope.guard';
import { AccessTokenGuard, AccessTokenStrategy } from './tokens/access-token.strategy';
import { SigningKeys } from './tokens/signing-keys';
import { TokensHandlers } from './tokens/tokens.handlers';

/** What main.ts made, and every route may ask for. */
export interface GatewayParts {
  config: GatewayConfig;
  keys: SigningKeys;
  bus: Bus;
  proxy: CoreProxy;
  directory: DirectoryReplica;
}

/** authenticate -> organization and scope -> forward. The routes are made from libs/contracts/operations. */
@Module({})
export class GatewayModule {
  static with(parts: GatewayParts): DynamicModule {
    return {
      module: GatewayModule,
      imports: [PassportModule],
      controllers: [
        TokensHandlers,
        ...operationRoutes(organizationOperations, Forwarder, (op) => [AccessTokenGuard, new ScopeGuard(op)]),
      ],
      providers: [
        AccessTokenStrategy,
        Forwarder,
        { provide: GatewayConfig, useValue: parts.config },
        { provide: SigningKeys, useValue: parts.keys },
        { provide: Bus, useValue: parts.bus },
        { provide: CoreProxy, useValue: parts.proxy },
        { provide: DirectoryReplica, useValue: parts.directory },
      ],
    };
  }
}
