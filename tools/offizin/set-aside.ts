import type { Command } from 'commander';
import type { Client } from 'pg';
import { connectBus } from '@offizin/bus/connection';
import type { BusConnection } from '@offizin/bus/key-value';
import { withClient } from '@offizin/local-stack/database-client';
import type { DatabaseService } from '@offizin/local-stack/secrets';
import { schemas } from './doctor/database-check';
import type { Installation } from './doctor/installation';
import type { Output } from './output';

const COLUMNS = ['service', 'id', 'kind', 'subject', 'bytes', 'reason', 'set_aside_at'];

/** `offizin set-aside …` */
export function addSetAsideCommands(
  program: Command,
  installation: () => Installation,
  output: Output,
): void {
  const command = program
    .command('set-aside')
    .description('messages and outbox rows that a service could not take or send');
  command
    .command('list', { isDefault: true })
    .description('print one line of JSON for each, the newest 200 of each service')
    .action(async () => {
      output.lines(await listSetAside(installation()), COLUMNS);
    });
  command
    .command('show')
    .description('write the bytes of one to the standard output, in a terminal as text')
    .argument('<id>')
    .action(async (id: string) => {
      const bytes = await showSetAside(installation(), id);
      output.bytes(bytes, { id, base64: bytes.toString('base64') });
    });
  command
    .command('give-back')
    .description('publish messages again, append outbox rows again; what is still refused is set aside again')
    .argument('<id...>')
    .action(async (ids: string[]) => {
      const report = await giveBackSetAside(installation(), ids);
      output.answer(report);
      if (report.unknown.length > 0) process.exitCode = 2;
    });
  command
    .command('drop')
    .description('delete one for good')
    .argument('<id>')
    .action(async (id: string) => {
      const report = await dropSetAside(installation(), id);
      output.sentence(JSON.stringify(report), report);
    });
}

/**
 * What the services set aside (libs/events/set-aside.ts): listed, shown as bytes, given back, or dropped for good. A message is
 * given back by publishing its bytes on its subject, an outbox row by inserting it into the outbox again.
 */
interface SetAsideEntry {
  service: DatabaseService;
  id: string;
  kind: 'message' | 'outbox';
  subject: string;
  event_id: string | null;
  reason: string;
  bytes: number;
  set_aside_at: string;
}

const MAX_LISTED = 200;

/** The newest entries of each service. */
async function listSetAside(installation: Installation): Promise<SetAsideEntry[]> {
  return eachDatabase(installation, async (client, service) => {
    const { rows } = await client.query<Omit<SetAsideEntry, 'service'>>(
      `SELECT id, kind, subject, event_id, reason, octet_length(content) AS bytes, set_aside_at::text
       FROM ${schemas[service].schema}.set_aside ORDER BY set_aside_at DESC LIMIT ${MAX_LISTED}`,
    );
    return rows.map((row) => ({ service, ...row }));
  });
}

/** The stored bytes of an entry. */
async function showSetAside(installation: Installation, id: string): Promise<Buffer> {
  const [content] = await eachDatabase(installation, async (client, service) => {
    const text = `SELECT content FROM ${schemas[service].schema}.set_aside WHERE id = $1`;
    return (await client.query<{ content: Buffer }>(text, [id])).rows.map((row) => row.content);
  });
  if (!content) throw new Error(`Nothing is set aside under the id ${id}.`);
  return content;
}

async function dropSetAside(installation: Installation, id: string): Promise<{ dropped: number }> {
  const dropped = await eachDatabase(installation, async (client, service) => {
    const text = `DELETE FROM ${schemas[service].schema}.set_aside WHERE id = $1 RETURNING id`;
    return (await client.query<{ id: string }>(text, [id])).rows;
  });
  return { dropped: dropped.length };
}

/**
 * Each entry is deleted in a transaction that commits when the broker has acknowledged the message. A service that sets
 * the message aside again waits for that commit, so the bytes are never in neither place.
 */
async function giveBackSetAside(
  installation: Installation,
  ids: readonly string[],
): Promise<{ given_back: string[]; unknown: string[] }> {
  if (!installation.broker) throw new Error('NATS_URL is not set.');
  const connection = await connectBus({ ...installation.broker, name: 'operator' });
  try {
    const given_back = await eachDatabase(installation, async (client, service) => {
      const given: string[] = [];
      for (const id of ids) if (await giveBack(client, connection, service, id)) given.push(id);
      return given;
    });
    return { given_back, unknown: ids.filter((id) => !given_back.includes(id)) };
  } finally {
    await connection.close();
  }
}

async function giveBack(
  client: Client,
  connection: BusConnection,
  service: DatabaseService,
  id: string,
): Promise<boolean> {
  const { schema } = schemas[service];
  await client.query('BEGIN');
  try {
    const { rows } = await client.query<Pick<SetAsideEntry, 'kind' | 'subject'> & { content: Buffer }>(
      `DELETE FROM ${schema}.set_aside WHERE id = $1 RETURNING kind, subject, content`,
      [id],
    );
    const [row] = rows;
    if (row?.kind === 'outbox') await client.query(appendAgain(schema), [row.content]);
    else if (row) await connection.jetstream({ timeout: LIMIT_MS }).publish(row.subject, row.content);
    await client.query('COMMIT');
    return row !== undefined;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** At a new position: the relay reads behind the newest one. */
function appendAgain(schema: string): string {
  const columns = 'id, org_id, event_type, aggregate_id, sequence, topic, body, traceparent';
  return `INSERT INTO ${schema}.outbox (${columns})
    SELECT ${columns} FROM json_populate_record(NULL::${schema}.outbox, convert_from($1::bytea, 'UTF8')::json)`;
}

const LIMIT_MS = 5_000;

async function eachDatabase<Row>(
  { databases }: Installation,
  work: (client: Client, service: DatabaseService) => Promise<Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (const { service, url } of databases) {
    found.push(...(await withClient(url, (client) => work(client, service))));
  }
  return found;
}
