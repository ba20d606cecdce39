import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { type Finding, ok, problem, skipped, warning } from './finding';

const LIMIT_MS = 5_000;
/** Renewals by ACME begin a month before the end: one that is still due after two weeks is broken. */
const SOON_DAYS = 14;
const DAY_MS = 24 * 60 * 60 * 1_000;
const HTTPS_PORT = 443;

const OF = 'certificate of the gateway';
export const RENEW = 'Renew it, and look why the renewal did not.';

/** What a caller of the public address sees; that it is valid there, and for how long. */
export async function checkCertificate(publicUrl: string | undefined): Promise<Finding> {
  if (!publicUrl?.startsWith('https://')) return skipped(OF, 'no https address is named');
  const { hostname, port } = new URL(publicUrl);
  try {
    return certificateFinding(OF, await endOfCertificate(hostname, Number(port) || HTTPS_PORT), Date.now());
  } catch (error) {
    return problem(OF, error instanceof Error ? error.message : String(error), RENEW);
  }
}

export function certificateFinding(of: string, endsAtMs: number, nowMs: number): Finding {
  const days = Math.floor((endsAtMs - nowMs) / DAY_MS);
  const found = `ends on ${new Date(endsAtMs).toISOString().slice(0, 10)}, in ${days} days`;
  return days < SOON_DAYS ? warning(of, found, RENEW) : ok(of, found);
}

/** Rejects when a caller would refuse the certificate, with the reason. */
function endOfCertificate(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const servername = isIP(host) === 0 ? host : '';
    const socket = connect({ host, port, servername, timeout: LIMIT_MS });
    socket.once('secureConnect', () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(new Error('it does not answer')));
    socket.once('error', reject);
  });
}
