import { FlagSetting, IntegerSetting, KeysSetting } from '@offizin/runtime/config';
import { ServiceConfig } from '@offizin/runtime/process-config';

export class WebhookWorkerConfig extends ServiceConfig {
  @KeysSetting('MASTER_KEY', {
    description:
      'Key that encrypts webhook secrets. During a rotation, two separated by a comma: the first encrypts, both decrypt.',
  })
  readonly masterKeys!: Buffer[];

  @FlagSetting('EGRESS_ALLOW_LOOPBACK', {
    default: 'false',
    description: 'Allow webhooks to loopback addresses; for development only',
  })
  readonly allowLoopback!: boolean;

  @FlagSetting('EGRESS_ALLOW_HTTP', {
    default: 'false',
    description: 'Allow webhooks to http:// URLs; for development only',
  })
  readonly allowHttp!: boolean;

  @IntegerSetting('WEBHOOK_REQUESTS_PER_ENDPOINT', {
    default: '8',
    minimum: 1,
    maximum: 256,
    description: 'Limit of requests in flight to one subscription, per process',
  })
  readonly requestsPerEndpoint!: number;

  @IntegerSetting('WEBHOOK_REQUESTS_IN_FLIGHT', {
    default: '512',
    minimum: 1,
    maximum: 10_000,
    description:
      'Limit of webhook requests in flight, per process. At most 64 of them go to endpoints that answer quickly.',
  })
  readonly requestsInFlight!: number;
}
