import { FlagSetting, IntegerSetting, KeySetting, PortSetting, ServiceConfig } from '@offizin/runtime/config';

export class OrderCoreConfig extends ServiceConfig {
  @PortSetting('ORDER_CORE_PORT', {
    default: '3010',
    description: 'Internal HTTP port for bodies with documents; only the edges call it',
  })
  readonly port!: number;

  @KeySetting('MASTER_KEY', {
    description: 'Wraps the data key of each organization, 32 bytes in base64; lost, all documents are lost',
  })
  readonly masterKey!: Buffer;

  @IntegerSetting('REQUEST_EXPIRY_DAYS', {
    default: '28',
    minimum: 1,
    maximum: 365,
    description: 'Age at which an undecided order request expires',
  })
  readonly requestExpiryDays!: number;

  @FlagSetting('EGRESS_ALLOW_LOOPBACK', {
    default: 'false',
    description: 'Allow outbound requests to loopback addresses; for development only',
  })
  readonly egressAllowLoopback!: boolean;

  @FlagSetting('EGRESS_ALLOW_HTTP', {
    default: 'false',
    description: 'Allow outbound requests without TLS; for development only',
  })
  readonly egressAllowHttp!: boolean;
}
