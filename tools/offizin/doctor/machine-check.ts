import { statfs } from 'node:fs/promises';
import { Client } from 'pg';
import { errors, request } from 'undici';
import { OAUTH_METADATA_PATH } from '../../../apps/gateway/tokens/oauth';
import { type Finding, ok, problem, skipped, warning } from './finding';
import type { Installation } from './installation';

const LIMIT_MS = 5_000;
const LIMITS = { headersTimeout: LIMIT_MS, bodyTimeout: LIMIT_MS };

interface Readiness {
  problems?: Record<string, string>;
  degraded?: Record<string, string>;
}

function listOf(parts: Record<string, string>): string {
  return Object.entries(parts)
    .map(([part, reason]) => `${part}: ${reason}`)
    .join('; ');
}

/** Checks that a process is alive and ready; `/readyz` names the parts that it cannot reach. */
export async function checkProcess({
  name,
  managementUrl,
}: Installation['processes'][number]): Promise<Finding> {
  try {
    const { statusCode, body } = await request(`${managementUrl}/readyz`, LIMITS);
    const { problems = {}, degraded = {} } = (await body.json()) as Readiness;
    if (statusCode === 200 && Object.keys(degraded).length === 0) return ok(name, 'ready');
    if (statusCode === 200)
      return warning(
        name,
        `ready, but degraded (${listOf(degraded)})`,
        'See the table at the beginning of docs/operate/runbook.md.',
      );
    return problem(
      name,
      `not ready (${listOf(problems)})`,
      'Mend what it names; it becomes ready by itself.',
    );
  } catch (error) {
    const hangs = error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
    const reason = error instanceof Error ? error.message : String(error);
    const found = hangs
      ? `accepts connections and does not answer within ${LIMIT_MS / 1000} s: it hangs, or is stopped`
      : `does not answer: ${reason}`;
    const deed = hangs ? 'End it with SIGKILL, so that it is started again' : 'Start it';
    return problem(
      name,
      found,
      `${deed}, and look at the end of its log. Management address: ${managementUrl}`,
    );
  }
}

const PUBLIC_ADDRESS = 'public address';

/** Browsers send the address that they show as the origin; the console refuses each other one, also when a person signs in. */
export async function checkPublicAddress(publicUrl: string | undefined): Promise<Finding> {
  if (publicUrl === undefined) return skipped(PUBLIC_ADDRESS, 'PUBLIC_BASE_URL is not set');
  try {
    const { origin } = new URL(publicUrl);
    const { body } = await request(new URL(OAUTH_METADATA_PATH, publicUrl), LIMITS);
    const { issuer } = (await body.json()) as { issuer: string };
    const accepted = new URL(issuer).origin;
    if (accepted === origin) return ok(PUBLIC_ADDRESS, `the console accepts sign-in at ${origin}`);
    return problem(
      PUBLIC_ADDRESS,
      `browsers send the origin ${origin}, the console accepts ${accepted} only and answers 403`,
      `Set PUBLIC_BASE_URL of the gateway and CONSOLE_BASE_URL of order-core to ${origin}.`,
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return problem(
      PUBLIC_ADDRESS,
      `no gateway answers at ${publicUrl}: ${reason}`,
      'Look where its name leads, and whether the way in passes calls to the gateway.',
    );
  }
}

/** A call is begun within 5 s of being signed (call-keys.ts); subscribers refuse signatures that are 5 minutes off. */
const WRONG_MS = 5_000;
const SUSPICIOUS_MS = 2_000;
/** A `Date` header has whole seconds. */
const HEADER_STEP_MS = 1_000;

/** The clocks of the database and of the gateway against this machine's. */
export async function checkClocks({ databases, gatewayUrl }: Installation): Promise<Finding[]> {
  const [database] = databases;
  return [
    database
      ? await compared('clock of the database', 0, () => databaseTime(database.url))
      : skipped('clock of the database', 'no database is named'),
    gatewayUrl
      ? await compared('clock of the gateway', HEADER_STEP_MS, () => gatewayTime(gatewayUrl))
      : skipped('clock of the gateway', 'no address is named'),
  ];
}

/** Half of the round trip and the step of the other clock are uncertain and not held against it. */
export function clockFinding(of: string, offsetMs: number, uncertainMs: number): Finding {
  const surelyMs = Math.max(0, Math.abs(offsetMs) - uncertainMs);
  const found = `${Math.round(offsetMs)} ms from this machine's (± ${Math.ceil(uncertainMs)})`;
  const advice = 'Let both machines keep their time by NTP (chrony, systemd-timesyncd).';
  if (surelyMs > WRONG_MS) return problem(of, found, advice);
  if (surelyMs > SUSPICIOUS_MS) return warning(of, found, advice);
  return ok(of, found);
}

async function compared(of: string, stepMs: number, read: () => Promise<number>): Promise<Finding> {
  try {
    const askedAtMs = Date.now();
    const theirsMs = await read();
    const answeredAtMs = Date.now();
    const uncertainMs = (answeredAtMs - askedAtMs) / 2 + stepMs / 2;
    return clockFinding(of, theirsMs + stepMs / 2 - (askedAtMs + answeredAtMs) / 2, uncertainMs);
  } catch {
    return skipped(of, 'it does not answer');
  }
}

async function databaseTime(url: string): Promise<number> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: LIMIT_MS,
    query_timeout: LIMIT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const sql = 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms';
    return Number((await client.query<{ ms: string }>(sql)).rows[0]?.ms);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function gatewayTime(url: string): Promise<number> {
  const { headers, body } = await request(`${url}/.well-known/jwks.json`, LIMITS);
  await body.dump();
  const atMs = Date.parse(String(headers['date']));
  if (Number.isNaN(atMs)) throw new Error('the answer has no Date');
  return atMs;
}

const GIB = 1024 ** 3;
const TOO_LITTLE_BYTES = GIB;
const LITTLE_SHARE = 0.1;

/** Free space on the disk of a folder: a full one stops the database and the broker. */
export async function checkDisk(folder: string): Promise<Finding> {
  const { bavail, blocks, bsize, ffree, files } = await statfs(folder);
  return diskFinding(folder, {
    freeBytes: bavail * bsize,
    share: Math.min(bavail / blocks, files > 0 ? ffree / files : 1),
  });
}

/** `share` is what is free of blocks or of inodes, whichever is less, 0 to 1. */
export function diskFinding(
  folder: string,
  { freeBytes, share }: { freeBytes: number; share: number },
): Finding {
  const found = `${(freeBytes / GIB).toFixed(1)} GiB free (${Math.floor(share * 100)} %)`;
  const advice =
    'Free some space or give the volume more. Old logs and the event stream may go; the database may not.';
  if (freeBytes < TOO_LITTLE_BYTES) return problem(`disk of ${folder}`, found, advice);
  if (share < LITTLE_SHARE) return warning(`disk of ${folder}`, found, advice);
  return ok(`disk of ${folder}`, found);
}
