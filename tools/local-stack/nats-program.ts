import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { arch, homedir, platform } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { checkoutRoot } from './checkout';
import { isProgram, programFolders } from './program-path';

/** The release that is fetched, and the oldest that is taken. tools/bootstrap.mjs reads the same file. */
interface NatsRelease {
  least: string;
  version: string;
  /**
   * Of the archive, by `<system>-<processor>`, as https://github.com/nats-io/nats-docker publishes them. It has none for
   * macOS, and an archive without a sum is not fetched.
   */
  sha256: Record<string, string>;
}

export interface NatsProgramOptions {
  /** Folders to search; PATH and the usual ones unless given. */
  folders?: string[];
  release?: NatsRelease;
  /** Of Debian and Ubuntu; where it is missing there is no package to unpack. */
  aptGet?: string;
  fetchLimitMs?: number;
  onProgress?: (line: string) => void;
  signal?: AbortSignal;
}

const NAME = 'nats-server';
const RELEASES = 'https://github.com/nats-io/nats-server/releases/download';
const PACKAGED = `${NAME}-packaged`;
const SAID_EVERY_MS = 10_000;
const ASK_LIMIT_MS = 5_000;

/**
 * Path of nats-server: on the PATH, in the user's cache, from the release's archive, or from the distribution's
 * package, unpacked without root. A program that is too old, or none, is named and passed over. Throws with all
 * reasons and the ways that are left.
 */
export async function findNatsProgram(options: NatsProgramOptions = {}): Promise<string> {
  const { folders = programFolders(), release = pinnedRelease(), aptGet = '/usr/bin/apt-get' } = options;
  const { fetchLimitMs = 120_000, onProgress, signal } = options;
  const cache = cacheFolder();
  const cached = { archive: join(cache, `${NAME}-${release.version}`), packaged: join(cache, PACKAGED) };
  const present = [...new Set(folders.map((folder) => join(folder, NAME))), cached.archive, cached.packaged];
  const reasons: string[] = [];
  for (const file of present.filter(isProgram)) {
    const problem = await problemOf(file, release);
    if (!problem) return file;
    onProgress?.(`${problem}: passed over`);
    reasons.push(problem);
  }
  if (process.env.NATS_SERVER_FETCH === 'off')
    throw missing([...reasons, 'NATS_SERVER_FETCH=off: not fetched.']);

  const unwritable = cacheProblem(cache);
  if (unwritable) throw missing([...reasons, unwritable]);
  const ways = [archiveWay(release, cached.archive), packageWay(aptGet, cached.packaged)].filter(
    (way) => way !== undefined,
  );
  for (const { target, source, fetched } of ways) {
    onProgress?.(`${NAME} is missing: fetching ${source} to ${target}`);
    try {
      await withProgress(`still fetching ${source}`, onProgress, async () => {
        const limit = AbortSignal.timeout(fetchLimitMs);
        const stopped = AbortSignal.any(signal ? [limit, signal] : [limit]);
        await keep(target, release, (folder) => fetched(folder, stopped)).catch((error: unknown) => {
          throw limit.aborted ? new Error(`not finished after ${fetchLimitMs / 1_000} s`) : error;
        });
      });
      return target;
    } catch (error) {
      signal?.throwIfAborted();
      const reason = `${source}: ${reasonOf(error)}`;
      onProgress?.(reason);
      reasons.push(reason);
    }
  }
  throw missing(reasons);
}

function pinnedRelease(): NatsRelease {
  const file = join(checkoutRoot, 'tools', 'local-stack', 'nats-release.json');
  return JSON.parse(readFileSync(file, 'utf8')) as NatsRelease;
}

/** Of programs that were fetched, as XDG's base directories say. Absolute, because a server starts in another folder. */
export function cacheFolder(): string {
  return resolve(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'offizin');
}

function cacheProblem(cache: string): string | undefined {
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    accessSync(cache, constants.W_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `${cache} cannot be written (${code}): XDG_CACHE_HOME names another cache.`;
  }
}

/** Why the file cannot be used, or undefined. */
async function problemOf(file: string, { least }: NatsRelease): Promise<string | undefined> {
  const asked = promisify(execFile)(file, ['--version'], { timeout: ASK_LIMIT_MS });
  const { stdout } = await asked.catch(() => ({ stdout: '' }));
  const version = /^nats-server: v(\d+\.\d+\.\d+)/m.exec(stdout)?.[1];
  if (!version) return `${file} is not a NATS server`;
  return version.localeCompare(least, 'en', { numeric: true }) < 0
    ? `${file} is ${version}, older than ${least}`
    : undefined;
}

interface Way {
  target: string;
  /** As people read it. */
  source: string;
  /** Puts the program into this empty folder and resolves with its path. */
  fetched: (folder: string, signal: AbortSignal) => Promise<string>;
}

function archiveWay({ version, sha256 }: NatsRelease, target: string): Way | undefined {
  const system = `${platform()}-${arch() === 'x64' ? 'amd64' : arch()}`;
  const sum = sha256[system];
  if (!sum) return undefined;
  const name = `${NAME}-v${version}-${system}`;
  const base = (process.env.NATS_SERVER_MIRROR || RELEASES).replace(/\/+$/, '');
  const source = `${base}/v${version}/${name}.tar.gz`;
  return {
    target,
    source,
    fetched: async (folder, signal) => {
      const answer = await fetch(source, { signal });
      if (!answer.ok) throw new Error(`answered ${answer.status}`);
      const archive = Buffer.from(await answer.arrayBuffer());
      const found = createHash('sha256').update(archive).digest('hex');
      if (found !== sum) throw new Error(`its SHA-256 is ${found}, not ${sum}`);
      writeFileSync(join(folder, 'archive.tar.gz'), archive);
      await promisify(execFile)('tar', ['-xzf', 'archive.tar.gz'], { cwd: folder, signal });
      return join(folder, name, NAME);
    },
  };
}

/**
 * With separate package lists: those of the machine belong to root. apt-get would fetch as user _apt, who cannot enter
 * the folder. `timeout` hands a signal on to all that the script has started.
 */
const UNPACK = `
set -e
mkdir -p lists/partial archives/partial
apt() {
  "$0" -q -o Dir::State::Lists="$PWD/lists" -o Dir::Cache::Archives="$PWD/archives" -o Dir::Cache::pkgcache= \
    -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User= "$@"
}
apt update
apt download nats-server
dpkg -x nats-server_*.deb .
`;

function packageWay(aptGet: string, target: string): Way | undefined {
  if (!existsSync(aptGet)) return undefined;
  return {
    target,
    source: `the distribution's package ${NAME}`,
    fetched: async (folder, signal) => {
      const env = { ...process.env, LC_ALL: 'C' };
      const args = ['--kill-after=5', '0', 'sh', '-c', UNPACK, aptGet];
      await promisify(execFile)('timeout', args, { cwd: folder, signal, env });
      const unpacked = ['usr/sbin', 'usr/bin'].map((bin) => join(folder, bin, NAME)).find(isProgram);
      if (!unpacked) throw new Error(`it holds no ${NAME}`);
      return unpacked;
    },
  };
}

/** The target appears whole or not at all: another start may look for it at the same time. */
async function keep(
  target: string,
  release: NatsRelease,
  fetched: (folder: string) => Promise<string>,
): Promise<void> {
  const folder = mkdtempSync(join(dirname(target), 'fetch-'));
  try {
    const program = await fetched(folder);
    const problem = await problemOf(program, release);
    if (problem) throw new Error(problem);
    renameSync(program, target);
  } finally {
    // After an abort, apt-get may still write for a moment.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function withProgress(
  line: string,
  onProgress: ((line: string) => void) | undefined,
  work: () => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  const timer = setInterval(
    () => onProgress?.(`${line} (${Math.round((performance.now() - startedAt) / 1_000)} s)`),
    SAID_EVERY_MS,
  );
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}

/** What says most: the end of a program's complaint, a connection's reason, or the error's own. */
function reasonOf(error: unknown): string {
  const { stderr, cause, message } = error as Error & { stderr?: string; cause?: Partial<Error> };
  if (stderr?.trim()) return stderr.trim().split('\n').slice(-2).join(' ');
  return cause?.message || message;
}

function missing(reasons: string[]): Error {
  const remedies = readFileSync(join(checkoutRoot, 'tools', 'local-stack', 'nats-missing.txt'), 'utf8');
  const found = reasons.length > 0 ? `:\n${reasons.map((reason) => `  - ${reason}`).join('\n')}` : '.';
  return new Error(`There is no nats-server that can be used${found}\n${remedies.trimEnd()}`);
}
