import { type DynamicModule, Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { connectorOperations } from '@offizin/contracts/operations';
import { DirectoryReplica } from '@offizin/directory/replica';
import { CoreProxy } from '@offizin/http-edge/core-proxy';
import { operationRoutes } from '@offizin/http-edge/operation-routes';
import { IntegrationKeyGuard, IntegrationKeyStrategy } from './authentication/integration-key.strategy';
import { ShopGuard } from './authentication/shop.guard';
import { ConnectorForwarder } from './forwarding/connector-forwarder';

/** shop from host -> key -> size -> proxy. The routes are made from libs/contracts/operations. */
@Module({})
export class ConnectorEdgeModule {
  static with(parts: { proxy: CoreProxy; directory: DirectoryReplica }): DynamicModule {
    return {
      module: ConnectorEdgeModule,
      imports: [PassportModule],
      controllers: operationRoutes(connectorOperations, ConnectorForwarder, () => [
        ShopGuard,
        IntegrationKeyGuard,
      ]),
      providers: [
        IntegrationKeyStrategy,
        ShopGuard,
        ConnectorForwarder,
        { provide: CoreProxy, useValue: parts.proxy },
        { provide: DirectoryReplica, useValue: parts.directory },
      ],
    };
  }
}
