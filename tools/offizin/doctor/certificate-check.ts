import { readFileSync } from 'node:fs';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Finding, ok, problem, skipped, warning } from './finding';
import type { Installation } from './installation';

const LIMIT_MS = 5_000;
/** Renewals by ACME begin a month before the end: one that is still due after two weeks is broken. */
const SOON_DAYS = 14;
const DAY_MS = 24 * 60 * 60 * 1_000;
const HTTPS_PORT = 443;

const OF_GATEWAY = 'certificate of the gateway';
export const RENEW = 'Renew it, and look why the renewal did not.';

/** What a caller of the public address sees; that it is valid there, and for how long. */
export async function checkCertificate(publicUrl: string | undefined): Promise<Finding> {
  if (!publicUrl?.startsWith('https://')) return skipped(OF_GATEWAY, 'no https address is named');
  const { hostname, port } = new URL(publicUrl);
  try {
    return certificateFinding(
      OF_GATEWAY,
      await endOfCertificate(hostname, Number(port) || HTTPS_PORT),
      Date.now(),
    );
  } catch (error) {
    return problem(OF_GATEWAY, error instanceof Error ? error.message : String(error), RENEW);
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
    const socket = connectTls({ host, port, servername, timeout: LIMIT_MS });
    socket.once('secureConnect', () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(new Error('it does not answer')));
    socket.once('error', reject);
  });
}

const NATS_PORT = 4222;
const OF_BROKER = 'certificate of the broker';

/** What a process sees of each server in NATS_URL: TLS as in the URL, a certificate valid there, and for how long. */
export function checkBrokerCertificates(broker: NonNullable<Installation['broker']>): Promise<Finding[]> {
  const urls = broker.natsUrl.split(',');
  return Promise.all(urls.map((url) => checkOne(url, broker.natsTlsCaFile)));
}

async function checkOne(given: string, caFile: string | undefined): Promise<Finding> {
  // The client takes an address without a protocol, too. The check of the broker reports one that it does not take.
  const url = given.includes('://') ? given : `nats://${given}`;
  if (!URL.canParse(url)) return skipped(OF_BROKER, 'NATS_URL is not a URL');
  const { protocol, hostname, port } = new URL(url);
  const of = `${OF_BROKER} ${hostname}`;
  const wantsTls = protocol === 'tls:';
  try {
    const { socket, offersTls, needsTls } = await greeted(hostname, Number(port) || NATS_PORT);
    try {
      if (!wantsTls)
        return needsTls ? problem(of, NO_WISH, NO_WISH_ADVICE) : skipped(of, 'NATS_URL is not tls://');
      if (!offersTls)
        return problem(of, 'it offers no TLS, and NATS_URL begins with tls://', NO_OFFER_ADVICE);
      return certificateFinding(of, await endOfUpgraded(socket, hostname, caFile), Date.now());
    } finally {
      socket.destroy();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return wantsTls ? problem(of, reason, adviceFor(error)) : skipped(of, reason);
  }
}

const NO_WISH = 'it wants TLS, and NATS_URL does not begin with tls://';
const NO_WISH_ADVICE =
  'Set NATS_URL to tls://<name>:4222 and NATS_TLS_CA_FILE to its authority, for every app.';
const NO_OFFER_ADVICE = 'Give the broker a certificate ("NATS over TLS" in docs/operate/operations.md).';

/** A server of NATS states in its first line, in plain text, whether it speaks TLS. */
function greeted(
  host: string,
  port: number,
): Promise<{ socket: Socket; offersTls: boolean; needsTls: boolean }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: LIMIT_MS });
    socket.once('timeout', () => socket.destroy(new Error('it does not answer')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('it closed the connection')));
    socket.once('data', (line: Buffer) => {
      const states = (field: string): boolean => line.includes(`"${field}":true`);
      resolve({
        socket,
        offersTls: states('tls_required') || states('tls_available'),
        needsTls: states('tls_required'),
      });
    });
  });
}

function endOfUpgraded(socket: Socket, servername: string, caFile: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const encrypted = connectTls({ socket, servername, ...(caFile && { ca: readFileSync(caFile) }) });
    encrypted.once('secureConnect', () => resolve(Date.parse(encrypted.getPeerCertificate().valid_to)));
    encrypted.once('error', reject);
  });
}

function adviceFor(error: unknown): string {
  const code = typeof error === 'object' && error && 'code' in error ? String(error.code) : '';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'Issue it for the name in NATS_URL.';
  if (code === 'CERT_HAS_EXPIRED') return RENEW;
  if (/SELF_SIGNED|UNABLE_TO/.test(code))
    return 'Set NATS_TLS_CA_FILE to the certificate of the authority that issued it (ca.crt), for every app.';
  return 'Start nats-server, or check NATS_URL and the network between here and there.';
}
