import { IntegerSetting, ProcessConfig, TextSetting } from '@offizin/runtime/config';
import type { ConnectionLimits } from './connection-table';

export class EdgeProcessConfig extends ProcessConfig implements ConnectionLimits {
  @TextSetting('TRUSTED_PROXIES', {
    default: '',
    minLength: 0,
    description:
      "Comma-separated addresses or networks of load balancers whose X-Forwarded-For holds the caller's address; all callers behind an unlisted balancer count as one address, by failures only",
  })
  readonly trustedProxies!: string;

  @IntegerSetting('MAX_CONNECTIONS', {
    default: '1500',
    minimum: 1,
    maximum: 1_000_000,
    description:
      'Limit of open connections of callers per process; one more closes the connection that is idle for longest',
  })
  readonly maxConnections!: number;

  @IntegerSetting('MAX_CONNECTIONS_PER_ADDRESS', {
    default: '375',
    minimum: 1,
    maximum: 1_000_000,
    description:
      'Limit of open connections per address (IPv6: per /64); it does not apply to load balancers in TRUSTED_PROXIES',
  })
  readonly maxConnectionsPerAddress!: number;
}
