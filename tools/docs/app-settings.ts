import type { AppName } from '@offizin/local-stack/apps';
import { CatalogConfig } from '../../apps/catalog/config';
import { ConnectorEdgeConfig } from '../../apps/connector-edge/config';
import { GatewayConfig } from '../../apps/gateway/config';
import { OrderCoreConfig } from '../../apps/order-core/config';
import { WebhookWorkerConfig } from '../../apps/webhook-worker/config';

/** The configuration class of each app: docs/operate/configuration.md and the check of docker-compose.yml read them. */
export const appConfigs = {
  gateway: GatewayConfig,
  'connector-edge': ConnectorEdgeConfig,
  'order-core': OrderCoreConfig,
  catalog: CatalogConfig,
  'webhook-worker': WebhookWorkerConfig,
} satisfies Record<AppName, new () => object>;

/** OpenTelemetry's own variables, as docs/operate/configuration.md describes them: name, default, meaning. */
export const TRACE_SETTINGS = [
  [
    '`OTEL_EXPORTER_OTLP_ENDPOINT`',
    'not set',
    'Collector that takes OTLP over HTTP with JSON, such as `http://collector:4318`',
  ],
  ['`OTEL_EXPORTER_OTLP_HEADERS`', 'not set', 'Headers for it, `name=value` with commas between'],
  ['`OTEL_TRACES_SAMPLER`', '`parentbased_always_on`', 'Which traces are recorded'],
  ['`OTEL_TRACES_SAMPLER_ARG`', '`1`', 'Share of them, for the samplers by ratio'],
  ['`OTEL_SERVICE_NAME`', 'name of the app', 'Name of the process in its spans'],
  ['`OTEL_RESOURCE_ATTRIBUTES`', 'not set', 'More about it, `name=value` with commas between'],
  ['`OTEL_SDK_DISABLED`', '`false`', '`true` switches traces off, whatever else is set'],
];
