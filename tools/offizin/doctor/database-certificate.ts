import { TLSSocket } from 'node:tls';
import type { Client, Connection } from 'pg';
import { certificateFinding, RENEW } from './certificate-check';
import { type Finding, skipped, warning } from './finding';

/** The certificate that this connection was opened with. The driver has checked it as it does for the service. */
export function databaseCertificateFinding(client: Client, of: string): Finding {
  // The driver's types lack it.
  const { stream } = (client as Client & { connection: Connection }).connection;
  if (!(stream instanceof TLSSocket)) return skipped(of, 'its URL asks for no TLS (sslmode)');
  if (!stream.authorized)
    return warning(
      of,
      `not verified (${String(stream.authorizationError)}): another server could take the place of this one`,
      `Set sslmode=verify-full in its URL. ${OF_AUTHORITY}`,
    );
  return certificateFinding(of, Date.parse(stream.getPeerCertificate().valid_to), Date.now());
}

const OF_AUTHORITY =
  'An authority that Node.js does not know: its certificate (PEM) in NODE_EXTRA_CA_CERTS, for the service and the doctor.';

/** Advice for a connection that failed because of TLS or the lack of it; undefined for another reason. */
export function tlsAdvice(code: string, message: string): string | undefined {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'Issue it for the host in its URL, or use a host that is in the certificate.';
  if (code === 'CERT_HAS_EXPIRED') return RENEW;
  if (/SELF_SIGNED|UNABLE_TO/.test(code)) return OF_AUTHORITY;
  if (message.includes('does not support SSL'))
    return 'Give the server a certificate (ssl = on). Without TLS (no sslmode in its URL) its network must be private.';
  if (code === '28000' && message.includes('no encryption'))
    return 'The server may admit connections with TLS only: set sslmode=verify-full in its URL.';
  return undefined;
}
