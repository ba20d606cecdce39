import { FlagSetting, IntegerSetting, KeysSetting, ServiceConfig } from '@offizin/runtime/config';

export class WebhookWorkerConfig extends ServiceConfig {
  @KeysSetting('MASTER_KEY', {
    description:
      'Key under which webhook secrets are encrypted at rest; while it is changed two with a comma between: the first encrypts, both decrypt',
  })
  readonly masterKeys!: Buffer[];

  @FlagSetting('EGRESS_ALLOW_LOOPBACK', {
    default: 'false',
    description: 'Webhooks may go to loopback addresses; for development only',
  })
  readonly allowLoopback!: boolean;

  @FlagSetting('EGRESS_ALLOW_HTTP', {
    default: 'false',
    description: 'Webhooks may go to http:// addresses; for development only',
  })
  readonly allowHttp!: boolean;

  @IntegerSetting('WEBHOOK_REQUESTS_PER_ENDPOINT', {
    default: '8',
    minimum: 1,
    maximum: 256,
    description: 'Requests in flight to one subscription at most, per process',
  })
  readonly requestsPerEndpoint!: number;

  @IntegerSetting('WEBHOOK_REQUESTS_IN_FLIGHT', {
    default: '512',
    minimum: 1,
    maximum: 10_000,
    description: 'Webhook requests in flight at most, per process; 64 of them to endpoints that answer soon',
  })
  readonly requestsInFlight!: number;
}
