import { PortSetting, ProcessConfig, UrlSetting } from '@offizin/runtime/config';

export class ConnectorEdgeConfig extends ProcessConfig {
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
}
