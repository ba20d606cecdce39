import { IntegerSetting, ProcessConfig, TextSetting } from '@offizin/runtime/config';
import type { ConnectionLimits } from './connection-table';

/** Settings that both edges have. */
export class EdgeProcessConfig extends ProcessConfig implements ConnectionLimits {
  @TextSetting('TRUSTED_PROXIES', {
    default: '',
    minLength: 0,
    description:
      "Addresses or networks of load balancers, with commas between, whose X-Forwarded-For names the caller's address; without it all callers behind one count as one address, by failures only",
  })
  readonly trustedProxies!: string;

  @IntegerSetting('MAX_CONNECTIONS', {
    default: '1500',
    minimum: 1,
    maximum: 1_000_000,
    description:
      'Connections of callers that this process keeps open at once; one more closes the one that is idle for longest',
  })
  readonly maxConnections!: number;

  @IntegerSetting('MAX_CONNECTIONS_PER_ADDRESS', {
    default: '375',
    minimum: 1,
    maximum: 1_000_000,
    description:
      'The same for one address (IPv6: one /64); load balancers in TRUSTED_PROXIES are not limited by it',
  })
  readonly maxConnectionsPerAddress!: number;
}
