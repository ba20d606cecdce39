import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Client } from 'pg';
import { hasErrorCode } from '@offizin/local-stack/error-code';
import { ERASURE_LEDGER } from '@offizin/local-stack/apps';
import { localCopies } from './contents';
import { addToLedger, readErasures } from './erasure-ledger';

/**
 * `npm run offizin -- backup`: a complete copy of a running local stack.
 *
 * PostgreSQL's low-level base backup of a running server (manual, section 25.3.4): mark the start, copy the files, mark
 * the end, and copy the log written in between, which makes the copy consistent at its first start. The broker is not
 * included: outboxes and the directory fill a new one.
 */
export interface BackupReport {
  folder: string;
  files: number;
  seconds: number;
}

/** Holds nothing that a copy needs, or belongs to the server that runs (manual, section 25.3.4.1). */
const leftOut = new Set([
  'postmaster.pid',
  'postmaster.opts',
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
const slot = 'offizin_backup';
/** Marking the end waits for nothing; the start waits for a checkpoint, which is asked for at once. */
const limitMs = 10 * 60_000;

/** `folder` must not exist. Throws when it does, or when the server refuses; then what was copied is of no use. */
export async function backUp(
  stack: { dataDir: string; adminDatabaseUrl: string },
  folder: string,
): Promise<BackupReport> {
  const startedAt = performance.now();
  const server = join(stack.dataDir, 'postgres');
  if (!existsSync(server))
    throw new Error('The stack uses a PostgreSQL elsewhere: back that up there (pg_dump, pg_basebackup).');
  await makeFolder(folder);
  const client = new Client({ connectionString: stack.adminDatabaseUrl, query_timeout: limitMs });
  await client.connect();
  try {
    const files = await copyDatabase(client, server, join(folder, 'postgres'));
    for (const name of localCopies) await copyFile(join(stack.dataDir, name), join(folder, name));
    // After the copy: an erasure that the copy misses is in the ledger.
    await addToLedger(join(folder, ERASURE_LEDGER), await readErasures(stack.adminDatabaseUrl));
    return { folder, files, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    await client.end();
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST'))
      throw new Error(`${folder} exists already: name a folder that the backup makes.`, { cause: error });
    if (hasErrorCode(error, 'ENOENT'))
      throw new Error(`The folder in which ${folder} would stand does not exist.`, { cause: error });
    throw error;
  }
}

async function copyDatabase(client: Client, from: string, to: string): Promise<number> {
  // The slot goes with this session; until then the server keeps the log that is written meanwhile.
  await client.query('SELECT pg_create_physical_replication_slot($1, true, true)', [slot]);
  await client.query(`SELECT pg_backup_start('offizin', true)`);
  const files = await copyTree(from, to, (path) => !leftOut.has(path.split(sep)[0] ?? ''));
  const { rows } = await client.query<{ labelfile: string; spcmapfile: string }>(
    'SELECT labelfile, spcmapfile FROM pg_backup_stop(false)',
  );
  const [end] = rows;
  if (!end) throw new Error('PostgreSQL did not say where the backup ends.');
  if (end.spcmapfile !== '') throw new Error('The database has tablespaces: use pg_basebackup.');
  for (const name of leftOut) if (name.startsWith('pg_')) await mkdir(join(to, name), { mode: 0o700 });
  await mkdir(join(to, 'pg_wal', 'archive_status'), { mode: 0o700 });
  await writeFile(join(to, 'backup_label'), end.labelfile, { mode: 0o600 });
  return files + (await copyTree(join(from, 'pg_wal'), join(to, 'pg_wal'), isLogSegment));
}

/** Copies what is wanted; files that the server removes meanwhile are skipped. Resolves with the number of files. */
async function copyTree(from: string, to: string, isWanted: (path: string) => boolean): Promise<number> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const entries = await readdir(from, { withFileTypes: true, recursive: true });
  let files = 0;
  for (const entry of entries) {
    const source = join(entry.parentPath, entry.name);
    const path = relative(from, source);
    if (!isWanted(path)) continue;
    if (entry.isDirectory()) await mkdir(join(to, path), { recursive: true, mode: 0o700 });
    else if (entry.isFile()) files += await copyFile(source, join(to, path));
  }
  return files;
}

async function copyFile(from: string, to: string): Promise<0 | 1> {
  try {
    await cp(from, to, { preserveTimestamps: true });
    return 1;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return 0;
    throw error;
  }
}

function isLogSegment(path: string): boolean {
  return /^[0-9A-F]{24}$|\.history$/.test(path);
}
