import { existsSync } from 'node:fs';
import { appendFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Command, Option } from 'commander';
import { Client, DatabaseError } from 'pg';
import type { ErasureLedgerEntry } from '@offizin/contracts/people/erasure-ledger';
import { ERASURE_LEDGER } from '@offizin/local-stack/apps';
import { hasErrorCode } from '@offizin/local-stack/process-identity';
import { lockDataDir } from '@offizin/local-stack/stack-ports';
import { readConfig, TextSetting } from '@offizin/runtime/config';
import type { Output } from '../output';
import { readRunningStack } from '../running-stack';
import { addToLedger, readErasures, readLedgerFile, readStoppedErasures } from './erasure-ledger';

/**
 * `folder`: the data folder of the local stack. In Compose the environment names the files and the database instead.
 */
export function addBackupCommands(program: Command, folder: () => string, output: Output): void {
  const running = (): Source => composeFiles(process.env) ?? localFiles(folder());

  program
    .command('backup')
    .description('copy the running local stack, or Compose, into a new folder; the copy holds its secrets')
    .argument('<folder>')
    .action(async (target: string) => output.answer(await backUp(running(), resolve(target))));

  program
    .command('restore')
    .description('put a backup into the data folder of a stack, or of Compose, that does not run')
    .option('--replace', 'lose the database that is there', false)
    .option('--erasures <file>', 'ledger of erasures that is newer than the backup')
    .option('--without-erasures', 'restore although customers erased after the backup come back', false)
    .option('--archive <folder>', 'then replay the log from this folder, as the server sees it')
    .option('--until <time>', 'not after this time, such as "2026-11-21 13:05:00+01"')
    .argument('<folder>')
    .action(async (source: string, { erasures: file, ...options }: RestoreOptions) => {
      const ledger = file === undefined ? undefined : resolve(file);
      const compose = composeFiles(process.env);
      const erasures = await restore(resolve(source), compose ?? folder(), { ...options, erasures: ledger });
      const into = compose?.server ?? folder();
      const next = compose
        ? 'Name their ledger by ERASURE_LEDGER, and start it.'
        : 'Start it with npm start.';
      const text = `Restored into ${into}; ${erasures} erasures will be applied. ${next}`;
      output.sentence(text, { folder: into, erasures });
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
      const url = databaseUrl ?? running().adminDatabaseUrl;
      const erasures = await addToLedger(resolve(file), await readErasures(url));
      output.answer({ file: resolve(file), erasures });
    });
}

/**
 * `npm run offizin -- backup`: a complete copy of a running installation whose files are at hand.
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

interface Source {
  dataDir: string;
  adminDatabaseUrl: string;
  /** Of PostgreSQL's files; `postgres` in `dataDir` unless given. */
  server?: string;
  /** Copied from `dataDir`, too: without the secrets documents cannot be read. */
  copies?: readonly string[];
}

function localFiles(folder: string): Source {
  const { dataDir, demo } = readRunningStack(folder);
  return { dataDir, adminDatabaseUrl: demo.database_url };
}

/** What the service operator-root of docker-compose.yml mounts. */
class ComposeConfig {
  @TextSetting('POSTGRES_FOLDER', { description: 'files of the server' })
  readonly server!: string;
  @TextSetting('POSTGRES_URL', { description: "administrator's, without the password" })
  readonly url!: string;
  @TextSetting('POSTGRES_PASSWORD', { secret: true, description: 'the password' })
  readonly password!: string;
  @TextSetting('DEPLOY_FOLDER', { description: 'the volume that holds the folder `secrets`' })
  readonly dataDir!: string;
}

export function composeFiles(environment: NodeJS.ProcessEnv): Required<Source> | undefined {
  if (environment['POSTGRES_FOLDER'] === undefined) return undefined;
  const { server, dataDir, ...login } = readConfig(ComposeConfig, environment);
  const url = new URL(login.url);
  url.password = encodeURIComponent(login.password);
  return { server, dataDir, adminDatabaseUrl: url.toString(), copies: ['secrets'] };
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
/** Marking the end waits for nothing; the start waits for a checkpoint, which is requested immediately. */
const limitMs = 10 * 60_000;

/** `folder` must not exist. Throws when it does, or when the server refuses; then what was copied is of no use. */
export async function backUp(source: Source, folder: string): Promise<BackupReport> {
  const startedAt = performance.now();
  const { dataDir, adminDatabaseUrl, server = join(dataDir, database), copies = localCopies } = source;
  if (!existsSync(server))
    throw new Error('The stack uses a PostgreSQL elsewhere: back that up there (pg_dump, pg_basebackup).');
  await makeFolder(folder);
  const client = new Client({ connectionString: adminDatabaseUrl, query_timeout: limitMs });
  await client.connect();
  try {
    const files = await copyDatabase(client, server, join(folder, database));
    for (const name of copies) await copyFile(join(dataDir, name), join(folder, name));
    // After the copy: an erasure that the copy misses is in the ledger.
    await addToLedger(join(folder, ERASURE_LEDGER), await readErasures(adminDatabaseUrl));
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
    await cp(from, to, { preserveTimestamps: true, recursive: true });
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
  /** Archived log, replayed by the first start; all of it, or `until` a time. */
  archive?: string;
  until?: string;
}

/**
 * `npm run offizin -- restore`: puts a backup into a data folder, for the next `npm start` there, or into the volume of
 * Compose. Resolves with the number of erasures in the ledger, which this start applies before anything is served.
 *
 * Throws when a stack runs on the folder, when the backup is not complete, or when the folder holds a database and
 * `replace` was not said. Throws, too, when no ledger lists the customers who were erased after the backup.
 *
 * Deletes no secret of Compose: the archived log may hold data under a key that is newer than the backup. With `archive`
 * the present secrets of the same installation stay; others are set aside, as `secrets.before-restore`.
 */
export async function restore(
  backup: string,
  into: string | Required<Source>,
  options: RestoreOptions,
): Promise<number> {
  if (!existsSync(join(backup, database, 'backup_label')))
    throw new Error(`${backup} holds no complete backup: ${join(database, 'backup_label')} is missing.`);
  const recovery = recoveryLines(options);
  const isLocal = typeof into === 'string';
  const server = isLocal ? join(into, database) : into.server;
  await mkdir(dirname(server), { recursive: true });
  const unlock = isLocal ? lockDataDir(into) : await refuseIfRunning(into.adminDatabaseUrl);
  try {
    if (existsSync(server) && !options.replace)
      throw new Error(
        `${dirname(server)} holds a database. Say --replace to lose it, or name another --data-dir.`,
      );
    const erasures = await knownErasures(isLocal ? into : null, existsSync(server), options);
    // Copied beside its place first: a copy that fails half-way leaves the old database where it was.
    const draft = `${server}.restored`;
    await rm(draft, { recursive: true, force: true });
    await cp(join(backup, database), draft, { recursive: true, preserveTimestamps: true });
    if (recovery !== '') {
      await appendFile(join(draft, 'postgresql.auto.conf'), recovery);
      await writeFile(join(draft, 'recovery.signal'), '');
    }
    // Before the old database goes: a restore that is interrupted here has lost no erasure.
    const count = isLocal ? await addToLedger(join(into, ERASURE_LEDGER), erasures) : erasures.length;
    if (isLocal) for (const name of madeAnew) await rm(join(into, name), { recursive: true, force: true });
    await rm(server, { recursive: true, force: true });
    await rename(draft, server);
    const [dataDir, copies] = isLocal ? [into, localCopies] : [into.dataDir, into.copies];
    for (const name of copies) {
      const [from, to] = [join(backup, name), join(dataDir, name)];
      if (options.archive !== undefined && (await areOfOneInstallation(from, to))) continue;
      await putBack(from, to, isLocal ? remove : setAside);
    }
    return count;
  } finally {
    unlock();
  }
}

/** Folders of secrets. `init` makes new ones on a new machine; the administrator's password never changes. */
async function areOfOneInstallation(one: string, other: string): Promise<boolean> {
  const passwordIn = (folder: string): Promise<string> =>
    readFile(join(folder, 'POSTGRES_PASSWORD'), 'utf8').catch(() => '');
  const password = await passwordIn(one);
  return password !== '' && password === (await passwordIn(other));
}

/** A file, or a folder as a whole. `clear` is for what is there. */
async function putBack(from: string, to: string, clear: (path: string) => Promise<void>): Promise<void> {
  const draft = `${to}.restored`;
  await remove(draft);
  if ((await copyFile(from, draft)) === 0) return;
  await clear(to);
  await rename(draft, to);
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true });
}

async function setAside(path: string): Promise<void> {
  let aside = `${path}.before-restore`;
  for (let number = 2; existsSync(aside); number++) aside = `${path}.before-restore-${number}`;
  if (existsSync(path)) await rename(path, aside);
}

/** Resolves with what there is to undo: nothing. */
async function refuseIfRunning(url: string): Promise<() => void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  const isRunning = await client.connect().then(
    () => true,
    // A server that starts, stops or wants another password answers, too.
    (error: unknown) => error instanceof DatabaseError,
  );
  await client.end().catch(() => undefined);
  if (isRunning) throw new Error('PostgreSQL runs: stop everything first (docker compose down).');
  return () => undefined;
}

/**
 * Settings with which the first start replays an archived log; empty without one. Services must not meet a server that
 * only reads.
 */
function recoveryLines({ archive, until }: RestoreOptions): string {
  if (archive === undefined && until === undefined) return '';
  if (archive === undefined || /['"\\\n]/.test(archive))
    throw new Error('--until needs --archive: the folder of the log, without quotes in its name.');
  if (until !== undefined && !/^\d{4}-\d\d-\d\d[ T][\d:.]+ ?(Z|[+-]\d\d(:?\d\d)?)$/.test(until))
    throw new Error('--until takes a time with its zone, such as "2026-11-21 13:05:00+01".');
  const target = until === undefined ? [] : [['recovery_target_time', until]];
  const settings = [
    ['restore_command', `cp "${archive}/%f" "%p"`],
    ...target,
    ['recovery_target_action', 'promote'],
    ['hot_standby', 'off'],
  ];
  return settings.map(([name, value]) => `${name} = '${value}'\n`).join('');
}

/**
 * From the named ledger, and from the database that is replaced on this machine: that of Compose cannot be started
 * here.
 */
async function knownErasures(
  dataDir: string | null,
  holdsDatabase: boolean,
  { erasures, withoutErasures }: RestoreOptions,
): Promise<ErasureLedgerEntry[]> {
  const named = erasures === undefined ? [] : await readLedgerFile(erasures);
  if (withoutErasures) return named;
  if (holdsDatabase && dataDir !== null) {
    const stored = await readStoppedErasures(dataDir, databaseName).catch((error: unknown) => {
      if (erasures !== undefined) return [];
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`The erasures of the database in ${dataDir} cannot be read. ${ADVICE}\n${reason}`);
    });
    return [...named, ...stored];
  }
  if (erasures === undefined && !(dataDir !== null && existsSync(join(dataDir, ERASURE_LEDGER))))
    throw new Error(`No database here can say which customers were erased. ${ADVICE}`);
  return named;
}

const ADVICE =
  `Name the newest ledger by --erasures <file> (each backup holds one: ${ERASURE_LEDGER}; ` +
  `"erasures <file>" writes one), or say --without-erasures: then customers erased after the backup are back.`;
