import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { type Command, Option } from 'commander';
import { Client } from 'pg';
import type { ErasureLedgerEntry } from '@offizin/contracts/people/erasure-ledger';
import { ERASURE_LEDGER } from '@offizin/local-stack/apps';
import { hasErrorCode } from '@offizin/local-stack/process-identity';
import { lockDataDir } from '@offizin/local-stack/stack-ports';
import type { Output } from '../output';
import { readRunningStack } from '../running-stack';
import { addToLedger, readErasures, readLedgerFile, readStoppedErasures } from './erasure-ledger';

/** `folder`: the data folder of the local stack. */
export function addBackupCommands(program: Command, folder: () => string, output: Output): void {
  program
    .command('backup')
    .description('copy the running local stack into a new folder; the copy holds its secrets')
    .argument('<folder>')
    .action(async (target: string) => {
      const { dataDir, demo } = readRunningStack(folder());
      output.answer(await backUp({ dataDir, adminDatabaseUrl: demo.database_url }, resolve(target)));
    });

  program
    .command('restore')
    .description('put a backup into the data folder of a stack that does not run; then npm start')
    .option('--replace', 'lose the database that is there', false)
    .option('--erasures <file>', 'ledger of erasures that is newer than the backup')
    .option('--without-erasures', 'restore although customers erased after the backup come back', false)
    .argument('<folder>')
    .action(async (source: string, { erasures: file, ...options }: RestoreOptions) => {
      const ledger = file === undefined ? undefined : resolve(file);
      const erasures = await restore(resolve(source), folder(), { ...options, erasures: ledger });
      const text = `Restored into ${folder()}; ${erasures} erasures will be applied. Start it with npm start.`;
      output.sentence(text, { folder: folder(), erasures });
    });

  program
    .command('erasures')
    .description('add all erasures to a ledger file, for a restore; it holds hashes and ids only')
    .addOption(
      new Option('--database-url <url>', "administrator's URL; the local stack's unless given").env(
        'DATABASE_URL',
      ),
    )
    .argument('<file>')
    .action(async (file: string, { databaseUrl }: { databaseUrl?: string }) => {
      const url = databaseUrl ?? readRunningStack(folder()).demo.database_url;
      const erasures = await addToLedger(resolve(file), await readErasures(url));
      output.answer({ file: resolve(file), erasures });
    });
}

/**
 * `npm run offizin -- backup`: a complete copy of a running local stack.
 *
 * PostgreSQL's low-level base backup of a running server (manual, section 25.3.4): mark the start, copy the files, mark
 * the end, and copy the log written in between, which makes the copy consistent at its first start. The broker is not
 * included: outboxes and the directory fill a new one.
 */
interface BackupReport {
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

/** Beside the database: without the secrets its documents cannot be read. */
const localCopies = ['secrets.json', 'demo-keys.json'];

const database = 'postgres';
const databaseName = 'offizin';
/** Created again by the next start: an old broker would deliver events of changes that the restore undid. */
const madeAnew = ['nats', 'nats-1', 'nats-2', 'nats-3', 'run', 'demo.json'];

interface RestoreOptions {
  /** Lose the database that is in the data folder. */
  replace?: boolean;
  /** Ledger of erasures, newer than the backup. */
  erasures?: string;
  /** Restore although erasures made after the backup are not known. */
  withoutErasures?: boolean;
}

/**
 * `npm run offizin -- restore`: puts a backup into a data folder, for the next `npm start` there. Resolves with the number
 * of erasures in the ledger, which this start applies before anything is served.
 *
 * Throws when a stack runs on the folder, when the backup is not complete, or when the folder holds a database and
 * `replace` was not said. Throws, too, when no ledger lists the customers who were erased after the backup.
 */
export async function restore(backup: string, dataDir: string, options: RestoreOptions): Promise<number> {
  if (!existsSync(join(backup, database, 'backup_label')))
    throw new Error(`${backup} holds no complete backup: ${join(database, 'backup_label')} is missing.`);
  await mkdir(dataDir, { recursive: true });
  const unlock = lockDataDir(dataDir);
  try {
    const present = join(dataDir, database);
    if (existsSync(present) && !options.replace)
      throw new Error(`${dataDir} holds a database. Say --replace to lose it, or name another --data-dir.`);
    const erasures = await knownErasures(dataDir, existsSync(present), options);
    // Copied beside its place first: a copy that fails half-way leaves the old database where it was.
    const draft = `${present}.restored`;
    await rm(draft, { recursive: true, force: true });
    await cp(join(backup, database), draft, { recursive: true, preserveTimestamps: true });
    // Before the old database goes: a restore that is interrupted here has lost no erasure.
    const count = await addToLedger(join(dataDir, ERASURE_LEDGER), erasures);
    for (const name of [database, ...madeAnew])
      await rm(join(dataDir, name), { recursive: true, force: true });
    await rename(draft, present);
    for (const name of localCopies)
      if (existsSync(join(backup, name))) await cp(join(backup, name), join(dataDir, name));
    return count;
  } finally {
    unlock();
  }
}

/** From the named ledger and from the database that is replaced. */
async function knownErasures(
  dataDir: string,
  holdsDatabase: boolean,
  { erasures, withoutErasures }: RestoreOptions,
): Promise<ErasureLedgerEntry[]> {
  const named = erasures === undefined ? [] : await readLedgerFile(erasures);
  if (withoutErasures) return named;
  if (holdsDatabase) {
    const stored = await readStoppedErasures(dataDir, databaseName).catch((error: unknown) => {
      if (erasures !== undefined) return [];
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`The erasures of the database in ${dataDir} cannot be read. ${ADVICE}\n${reason}`);
    });
    return [...named, ...stored];
  }
  if (erasures === undefined && !existsSync(join(dataDir, ERASURE_LEDGER)))
    throw new Error(`${dataDir} holds no database that knows which customers were erased. ${ADVICE}`);
  return named;
}

const ADVICE =
  `Name the newest ledger by --erasures <file> (each backup holds one: ${ERASURE_LEDGER}; ` +
  `"erasures <file>" writes one), or say --without-erasures: then customers erased after the backup are back.`;
