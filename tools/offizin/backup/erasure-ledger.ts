import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { ErasureLedgerEntry } from '@offizin/contracts/people/erasure-ledger';
import { queryAt } from '@offizin/local-stack/database-client';
import { databaseUrl } from '@offizin/local-stack/database-roles';
import { hasErrorCode } from '@offizin/local-stack/process-identity';
import { startPostgres } from '@offizin/local-stack/postgres';
import { stopOrphans } from '@offizin/local-stack/run-record';
import { readOrCreateSecrets } from '@offizin/local-stack/secrets';

/**
 * The ledger of erasures: one line of JSON per erasure, with keyed hashes and ids only. It outlives the database that a
 * restore replaces; order-core applies what the restored database does not know (ERASURE_LEDGER_FILE).
 */
type Row = Partial<Record<keyof ErasureLedgerEntry, string | null>>;

const UNDEFINED_TABLE = '42P01';
const UNKNOWN_DATABASE = '3D000';

/** The erasures that a running server knows; none where the table or the database does not exist yet. */
export async function readErasures(adminDatabaseUrl: string): Promise<ErasureLedgerEntry[]> {
  try {
    // As JSON, so that an older version's table, which lacks columns, can be read, too.
    const rows = await queryAt<{ erasure: Row }>(
      adminDatabaseUrl,
      'SELECT to_jsonb(e) AS erasure FROM core.erasures e ORDER BY created_at, id',
    );
    return rows.map(({ erasure }) => entryOf(erasure));
  } catch (error) {
    if (hasErrorCode(error, UNDEFINED_TABLE) || hasErrorCode(error, UNKNOWN_DATABASE)) return [];
    throw error;
  }
}

/** The erasures of a database that is not running: the server is started on its files for a moment. */
export async function readStoppedErasures(
  dataDir: string,
  databaseName: string,
): Promise<ErasureLedgerEntry[]> {
  await stopOrphans(dataDir);
  const { postgresAdminPassword: adminPassword } = readOrCreateSecrets(dataDir);
  const server = await startPostgres({ dataDir, adminPassword });
  try {
    return await readErasures(databaseUrl(server.adminUrl, databaseName));
  } finally {
    await server.process.stop();
  }
}

export async function readLedgerFile(file: string): Promise<ErasureLedgerEntry[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, index) => {
    try {
      return JSON.parse(line) as ErasureLedgerEntry;
    } catch (error) {
      throw new Error(`${file}: line ${index + 1} is not JSON.`, { cause: error });
    }
  });
}

/** Adds to the file; an erasure that it has already is replaced. Resolves with the number of erasures in the file. */
export async function addToLedger(file: string, entries: readonly ErasureLedgerEntry[]): Promise<number> {
  const before = existsSync(file) ? await readLedgerFile(file) : [];
  const byId = new Map([...before, ...entries].map((entry) => [entry.id, entry]));
  const draft = `${file}.${process.pid}`;
  const lines = [...byId.values()].map((entry) => `${JSON.stringify(entry)}\n`);
  // Readable for all, as the secrets of Compose: order-core runs as another user there.
  await writeFile(draft, lines.join(''), { mode: 0o644 });
  await rename(draft, file);
  return byId.size;
}

function entryOf(row: Row): ErasureLedgerEntry {
  const { id, org_id, email_hash, object_kind, object_id, actor_kind, actor_id, request_id } = row;
  return {
    id,
    org_id,
    object_kind: object_kind ?? null,
    object_id: object_id ?? null,
    actor_kind,
    actor_id,
    request_id,
    // PostgreSQL writes bytea in JSON as \\x and hexadecimal digits.
    email_hash: email_hash?.replace(/^\\x/, '') ?? null,
  } as ErasureLedgerEntry;
}
