import { spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { commandLine, hasErrorCode, isAlive, processesIn, signalPid, waitUntil } from './process-identity';
import { freePort } from './ports';
import {
  findPostgresPrograms,
  postgresAccount,
  type PostgresAccount,
  type PostgresPrograms,
} from './postgres-account';
import { localServerMemoryMb, postgresArguments } from './postgres-settings';
import { SupervisedProcess, type UnexpectedExit } from './supervised-process';

/**
 * This stack's own PostgreSQL server, from the programs that npm installed.
 *
 * Guarantees: it listens on 127.0.0.1 only, with passwords. Acknowledged data survives a SIGKILL (fsync on). Its
 * log contains no statement texts, parameters or key values, which may be health data.
 */
export interface PostgresOptions {
  dataDir: string;
  adminPassword: string;
  port?: number;
  onExit?: (event: UnexpectedExit) => void;
  onStart?: (pid: number) => void;
  onProgress?: (line: string) => void;
  signal?: AbortSignal;
  /** Default 30 s. A server that repeats its log may take longer. */
  readyLimitMs?: number;
  /** Loses data in a crash of the machine; for servers that a test run deletes afterwards. Default: false. */
  disposable?: boolean;
}

export interface PostgresServer {
  process: SupervisedProcess;
  port: number;
  /** Superuser, database `postgres`. */
  adminUrl: string;
}

/** The server starts, stops or recovers. */
const CANNOT_CONNECT_NOW = '57P03';

/** Besides those of postgres-settings.ts. */
const ownSettings = ['--listen_addresses=127.0.0.1', '--unix_socket_directories=', '--logging_collector=off'];
/** Not synchronous_commit: after an asynchronous commit VACUUM does not mark pages as visible to all. */
const disposableSettings = ['--fsync=off', '--full_page_writes=off'];

export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  mkdirSync(options.dataDir, { recursive: true });
  const dataDir = realpathSync(options.dataDir);
  const programs = findPostgresPrograms();
  const account = postgresAccount(programs, dataDir);
  await prepareCluster(programs, account, dataDir, options.adminPassword);
  options.signal?.throwIfAborted();

  const port = options.port ?? (await freePort());
  const adminUrl = `postgres://postgres:${options.adminPassword}@127.0.0.1:${port}/postgres`;
  const server = describeServer({ programs, account, dataDir, port, adminUrl }, options);
  try {
    await server.start();
    await untilReady(server, adminUrl, options);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { process: server, port, adminUrl };
}

/** After a restore or a crash the server repeats its log first; gigabytes of it take minutes. */
async function untilReady(
  server: SupervisedProcess,
  adminUrl: string,
  { readyLimitMs = 30_000, signal, onProgress }: PostgresOptions,
): Promise<void> {
  for (;;) {
    try {
      return await server.ready(readyLimitMs, signal);
    } catch (error) {
      const failure = await failureOf(adminUrl);
      if (signal?.aborted || failure?.isRecovering === false) throw error;
      onProgress?.('PostgreSQL repeats its log, after a restore or a crash');
    }
  }
}

interface PreparedCluster extends Pick<PostgresServer, 'port' | 'adminUrl'> {
  programs: PostgresPrograms;
  account: PostgresAccount;
  dataDir: string;
}

function describeServer(
  { programs, account, dataDir, port, adminUrl }: PreparedCluster,
  options: PostgresOptions,
): SupervisedProcess {
  const cluster = join(dataDir, 'postgres');
  const durable = [...ownSettings, ...postgresArguments(localServerMemoryMb())];
  const flags = options.disposable ? [...durable, ...disposableSettings] : durable;
  return new SupervisedProcess({
    name: 'postgres',
    dataDir,
    command: asAccount(account, [programs.postgres, '-D', cluster, '-p', String(port), ...flags]),
    signature: `-D ${cluster} `,
    stopSteps: [
      { signal: 'SIGINT', waitMs: 10_000 },
      { signal: 'SIGQUIT', waitMs: 5_000 },
    ],
    parentDeathSignal: 'SIGINT',
    probe: () => probe(adminUrl),
    beforeStart: () => clearRemains(cluster),
    onExit: options.onExit,
    onStart: options.onStart,
    onWait: options.onProgress,
  });
}

async function prepareCluster(
  programs: PostgresPrograms,
  account: PostgresAccount,
  dataDir: string,
  adminPassword: string,
): Promise<void> {
  const cluster = join(dataDir, 'postgres');
  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    await createCluster(programs, account, dataDir, adminPassword);
    return;
  }
  const stored = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  const installed = spawnSync(programs.postgres, ['--version'], { encoding: 'utf8' }).stdout;
  if (!installed.includes(` ${stored}.`)) {
    throw new Error(
      `${cluster} is of PostgreSQL ${stored}, but installed is ${installed.trim()}. Use --fresh.`,
    );
  }
  if (account.uid !== undefined && statSync(cluster).uid !== account.uid) {
    spawnSync('chown', ['-R', `${account.uid}:${account.gid}`, cluster]);
  }
}

/**
 * Created under a temporary name and renamed when complete, so a start that was killed leaves no partial cluster.
 */
async function createCluster(
  programs: PostgresPrograms,
  account: PostgresAccount,
  dataDir: string,
  adminPassword: string,
): Promise<void> {
  const draft = join(dataDir, 'postgres.new');
  const passwordFile = join(dataDir, 'postgres.password');
  rmSync(draft, { recursive: true, force: true });
  rmSync(passwordFile, { force: true });
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, `${adminPassword}\n`, { mode: 0o600 });
  if (account.uid !== undefined && account.gid !== undefined) {
    chownSync(draft, account.uid, account.gid);
    chownSync(passwordFile, account.uid, account.gid);
  }
  try {
    const flags = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    await run(
      asAccount(account, [programs.initdb, `--pgdata=${draft}`, ...flags, '--encoding=UTF8', '--no-locale']),
    );
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(draft, join(dataDir, 'postgres'));
}

function asAccount(account: PostgresAccount, command: string[]) {
  const [file = '', ...args] = [...(account.wrapper ?? []), ...command];
  const user = account.wrapper ? {} : { uid: account.uid, gid: account.gid };
  // The server's user may not have access to the current directory of a root shell.
  return { file, args, cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }, ...user };
}

function run({ file, args, ...options }: ReturnType<typeof asAccount>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    }
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`initdb ended with code ${code}:\n${output.trim()}`)),
    );
  });
}

async function probe(adminUrl: string): Promise<string | undefined> {
  return (await failureOf(adminUrl))?.reason;
}

/** Why the server cannot be asked; undefined if it can. */
async function failureOf(adminUrl: string): Promise<{ reason: string; isRecovering: boolean } | undefined> {
  const client = new Client({
    connectionString: adminUrl,
    connectionTimeoutMillis: 2_000,
    query_timeout: 2_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return undefined;
  } catch (error) {
    return { reason: String(error), isRecovering: hasErrorCode(error, CANNOT_CONNECT_NOW) };
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * After a SIGKILL two things can block a new server: old backends that still hold the shared memory, and a
 * postmaster.pid whose process id now belongs to another process.
 */
async function clearRemains(cluster: string): Promise<void> {
  const [firstLine = '', ...rest] = readPidFile(cluster);
  const pid = Number(firstLine);
  // Left by a full disk. PostgreSQL would refuse to start beside it.
  if (firstLine === '') rmSync(join(cluster, 'postmaster.pid'), { force: true });
  if (isAlive(pid) && commandLine(pid).includes(`-D ${cluster} `)) {
    throw new Error(
      `A PostgreSQL server (pid ${pid}) that this stack did not start runs on ${cluster}. Stop it first.`,
    );
  }
  if (!(await waitUntil(() => processesIn(cluster).length === 0, 3_000))) {
    for (const backend of processesIn(cluster)) signalPid(backend, 'SIGKILL');
    await waitUntil(() => processesIn(cluster).length === 0, 3_000);
  }
  if (isAlive(pid)) {
    // PostgreSQL treats its parent's process id as stale and then still checks the shared memory named on the
    // other lines. Removing the file would skip that check.
    writeFileSync(join(cluster, 'postmaster.pid'), [process.pid, ...rest].join('\n'));
  }
}

function readPidFile(cluster: string): string[] {
  const file = join(cluster, 'postmaster.pid');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
}
