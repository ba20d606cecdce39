import { isIP } from 'node:net';

/**
 * `<password>` is the one of `user`, `<user>-2:<password>` the one of the second user, who has the same rights
 * (deploy/nats/permissions.conf). During a rotation there are both, separated by a comma: the first signs in.
 */
export function loginOf(user: string, passwords: string): { user: string; pass: string } {
  const second = `${user}-2`;
  if (passwords.startsWith(`${second}:`)) {
    const [pass = ''] = passwords.slice(second.length + 1).split(',');
    return { user: second, pass };
  }
  // Not at any comma: a password that was chosen elsewhere may contain one.
  const end = passwords.indexOf(`,${second}:`);
  return { user, pass: end < 0 ? passwords : passwords.slice(0, end) };
}

const TLS = 'tls://';

/** Settings of the broker that do not fit together: half of TLS would be none. One sentence for each. */
export function brokerMistakes(config: { natsUrl: string; natsTlsCaFile: string }): string[] {
  const urls = config.natsUrl.split(',');
  const encrypted = urls.filter((url) => url.startsWith(TLS));
  // The client would connect, in plain text.
  if (urls.some((url) => !url.startsWith(TLS) && /^\s*tls:/i.test(url)))
    return ['NATS_URL: tls:// is written in small letters, without a space before it'];
  if (encrypted.length === 0)
    return config.natsTlsCaFile === ''
      ? []
      : ['NATS_TLS_CA_FILE is set, and NATS_URL does not begin with tls://: nothing would be encrypted'];
  if (encrypted.length < urls.length)
    return ['NATS_URL mixes tls:// with other addresses: all or none are encrypted'];
  // The client (nats 2.29.3) would compare the certificate with "localhost" instead of the address.
  return encrypted
    .filter((url) => isIP(hostOf(url)) !== 0)
    .map(
      (url) => `NATS_URL names ${hostOf(url)} by its address: with tls:// a certificate is checked by name`,
    );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
}
