import { IntegerSetting, TextSetting } from '@offizin/runtime/config';
import { ProcessConfig } from '@offizin/runtime/process-config';
import type { ConnectionLimits } from './connection-table';

export class EdgeProcessConfig extends ProcessConfig implements ConnectionLimits {
  @TextSetting('TRUSTED_PROXIES', {
    default: '',
    minLength: 0,
    description:
      'Load balancers whose X-Forwarded-For is trusted: addresses or networks, separated by commas. Callers behind a balancer that is not listed share one address, and only their failures are counted.',
  })
  readonly trustedProxies!: string;

  @IntegerSetting('MAX_CONNECTIONS', {
    default: '1500',
    minimum: 1,
    maximum: 1_000_000,
    description:
      'Limit of open connections of callers, per process. A further connection closes the one that has been idle longest.',
  })
  readonly maxConnections!: number;

  @IntegerSetting('MAX_CONNECTIONS_PER_ADDRESS', {
    default: '375',
    minimum: 1,
    maximum: 1_000_000,
    description:
      'Limit of open connections per address (IPv6: per /64). It does not apply to load balancers in TRUSTED_PROXIES.',
  })
  readonly maxConnectionsPerAddress!: number;
}
