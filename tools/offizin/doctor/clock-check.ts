import { Client } from 'pg';
import { request } from 'undici';
import { type Finding, ok, problem, skipped, warning } from './finding';
import type { Installation } from './installation';

const LIMIT_MS = 5_000;
/** A call is begun within 5 s of being signed (caller-token.ts); subscribers refuse signatures that are 5 minutes off. */
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
  const { headers, body } = await request(`${url}/.well-known/jwks.json`, {
    headersTimeout: LIMIT_MS,
    bodyTimeout: LIMIT_MS,
  });
  await body.dump();
  const atMs = Date.parse(String(headers['date']));
  if (Number.isNaN(atMs)) throw new Error('the answer has no Date');
  return atMs;
}
