import type { AppName } from '@offizin/local-stack/apps';
import { CatalogConfig } from '../../apps/catalog/config';
import { ConnectorEdgeConfig } from '../../apps/connector-edge/config';
import { GatewayConfig } from '../../apps/gateway/config';
import { OrderCoreConfig } from '../../apps/order-core/config';
import { WebhookWorkerConfig } from '../../apps/webhook-worker/config';

/** The configuration class of each app: docs/configuration.md and the check of docker-compose.yml read them. */
export const appConfigs = {
  gateway: GatewayConfig,
  'connector-edge': ConnectorEdgeConfig,
  'order-core': OrderCoreConfig,
  catalog: CatalogConfig,
  'webhook-worker': WebhookWorkerConfig,
} satisfies Record<AppName, new () => object>;
