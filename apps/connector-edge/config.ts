import { EdgeProcessConfig } from '@offizin/http-edge/edge-config';
import { IntegerSetting, PortSetting, UrlSetting } from '@offizin/runtime/config';

export class ConnectorEdgeConfig extends EdgeProcessConfig {
  @PortSetting('CONNECTOR_PORT', {
    default: '3001',
    description: 'Public port of the connector, for all shop domains',
  })
  readonly port!: number;

  @UrlSetting('ORDER_CORE_URL', {
    protocols: ['http:', 'https:'],
    description: "order-core's internal HTTP port",
  })
  readonly orderCoreUrl!: string;

  @IntegerSetting('CONNECTOR_RATE_PER_SECOND', {
    default: '20',
    minimum: 1,
    maximum: 1_000_000,
    description: 'Requests per second that one integration key may send, over all replicas together',
  })
  readonly ratePerSecond!: number;

  @IntegerSetting('CONNECTOR_RATE_BURST', {
    default: '40',
    minimum: 1,
    maximum: 1_000_000,
    description: 'Requests that one integration key may send in one burst after a pause',
  })
  readonly rateBurst!: number;
}
