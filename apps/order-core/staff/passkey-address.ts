import { isIP } from 'node:net';
import { Refused } from '@offizin/contracts/errors';

/** Passkeys belong to a host name. Browsers make none for an IP address. */
export class PasskeyAddress {
  readonly origin: string;
  /** Null where the console has no host name. */
  readonly rpId: string | null;

  constructor(consoleBaseUrl: string) {
    const { origin, hostname } = new URL(consoleBaseUrl);
    this.origin = origin;
    this.rpId = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : null;
  }

  /** Throws `Refused` (conflict). */
  requireRpId(): string {
    if (this.rpId !== null) return this.rpId;
    throw new Refused('conflict', 'Passkeys need a console with a host name; this one has an IP address.');
  }
}
