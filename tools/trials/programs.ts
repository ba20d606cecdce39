import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkoutRoot } from '@offizin/local-stack/checkout';

/** One line of the report. */
export interface Trial {
  name: string;
  /** The result in a few words. Throws with the reason. */
  run: () => Promise<string>;
}

/** Node.js of the image, which is the recommended version. */
export const NODE_24 = '24.21.0';
/** Compose waits for ever for a container that is started again and again. */
const COMMAND_LIMIT_MS = 30 * 60_000;
let running = new AbortController();

/** Ends the commands that run now. */
export function interrupt(): void {
  running.abort();
  running = new AbortController();
}

interface CommandOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
}

/** Standard output. Throws with the end of what was printed, and when the command takes longer than half an hour. */
export async function command(
  file: string,
  args: readonly string[],
  { cwd = checkoutRoot, env = {} }: CommandOptions = {},
): Promise<string> {
  // Not execFile's `timeout`: a podman that it kills ends with code 0.
  const signal = AbortSignal.any([running.signal, AbortSignal.timeout(COMMAND_LIMIT_MS)]);
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 256 * 1024 * 1024, signal };
  try {
    return (await promisify(execFile)(file, [...args], options)).stdout;
  } catch (error) {
    const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string };
    const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-30).join('\n');
    throw new Error(`${file} ${args.join(' ')}:\n${said}`, { cause: error });
  }
}

/** A command of this checkout. */
export function tool(args: readonly string[], node: string, env: CommandOptions['env']): Promise<string> {
  return command(node, [join(checkoutRoot, 'tools', 'bootstrap.mjs'), ...args], { env });
}

export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

/** The folder, filled by `fetch` unless an earlier run has done so. */
export function fetchedOnce(folder: string, fetch: (folder: string) => void): string {
  const mark = join(folder, 'complete');
  if (existsSync(mark)) return folder;
  mkdirSync(folder, { recursive: true });
  fetch(folder);
  writeFileSync(mark, '');
  return folder;
}

/** Unpacks a package of npm into the folder; nothing is installed. */
export function unpackNpm(name: string, version: string, folder: string): void {
  const answer = run('npm', ['pack', `${name}@${version}`, '--json', '--pack-destination', folder], folder);
  const [packed] = JSON.parse(answer) as { filename: string }[];
  if (!packed) throw new Error(`npm packed nothing of ${name}@${version}.`);
  run('tar', ['-xzf', packed.filename], folder);
}

/** The same with a package of Debian. Its lists are separate, so this machine's packages stay as they are. */
export function unpackDebian(name: string, release: string, folder: string): void {
  const key = '/usr/share/keyrings/debian-archive-keyring.gpg';
  const sources = join(folder, 'sources.list');
  for (const needed of ['lists/partial', 'archives/partial'])
    mkdirSync(join(folder, needed), { recursive: true });
  writeFileSync(sources, `deb [signed-by=${key}] http://deb.debian.org/debian ${release} main\n`);
  const settings = [
    `Dir::Etc::SourceList=${sources}`,
    'Dir::Etc::SourceParts=-',
    `Dir::State::Lists=${join(folder, 'lists')}`,
    `Dir::Cache::Archives=${join(folder, 'archives')}`,
    'Dir::Cache::pkgcache=',
    'Dir::Cache::srcpkgcache=',
    'APT::Sandbox::User=root',
  ].flatMap((setting) => ['-o', setting]);
  run('apt-get', ['-q', ...settings, 'update'], folder);
  run('apt-get', ['-q', ...settings, 'download', name], folder);
  run('sh', ['-c', `dpkg -x ${name}_*.deb .`], folder);
}

function run(file: string, args: readonly string[], cwd: string): string {
  return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
