import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One line of the report. */
export interface Trial {
  name: string;
  /** The result in a few words. Throws with the reason. */
  run: () => Promise<string>;
}

/** Node.js of the image, which is the recommended version. */
export const NODE_24 = '24.21.0';

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
