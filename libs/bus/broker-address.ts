import type { ConnectionOptions } from 'nats';
import { loginOf } from '@offizin/runtime/broker-login';

/** Where the broker is, and who signs in there. */
export interface BrokerAddress {
  /** One URL, or several separated by commas: all nats://, or all tls://. */
  natsUrl: string;
  natsUser: string;
  /** One password, or two during a rotation: see `loginOf`. */
  natsPassword: string;
  /** PEM; undefined or empty: the authorities of Node.js. */
  natsTlsCaFile?: string;
}

/** Of a client that only connects; also the options of every process. */
export function connectionOptions(address: BrokerAddress): ConnectionOptions {
  const { natsUrl, natsUser, natsPassword, natsTlsCaFile } = address;
  return {
    servers: natsUrl.split(','),
    ...loginOf(natsUser, natsPassword),
    // The client ignores the protocol of a URL. Without this option the password would travel in plain
    // text to a server that offers no TLS, or to an attacker between. The file is read for each connection.
    ...(natsUrl.startsWith('tls://') && { tls: natsTlsCaFile ? { caFile: natsTlsCaFile } : {} }),
  };
}
