import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';

/** A user's PATH often lacks /usr/sbin, where Debian installs servers. */
const furtherFolders = ['/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin'];

/** PATH, and where packages install programs. */
export function programFolders(): string[] {
  return [...(process.env.PATH ?? '').split(delimiter), ...furtherFolders];
}

/** Path of the first of these names that is a program in one of the folders. */
export function findProgram(names: string[], folders = programFolders()): string | undefined {
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * Installs the packages that it is given. Debian starts a daemon when its package is installed: a start policy that refuses prevents this
 * (see invoke-rc.d); an existing one is left alone. Lists that could not be updated may still be new enough.
 */
const SCRIPT = `
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap "rm -f $policy" EXIT
  printf '#!/bin/sh\\nexit 101\\n' > $policy && chmod 755 $policy
fi
apt() { timeout 300 apt-get -q -o DPkg::Lock::Timeout=120 -o APT::Get::Lock::Timeout=120 "$@"; }
apt update
apt install -y --no-install-recommends "$@"
`;

export function mayInstallPackages(): boolean {
  return existsSync('/usr/bin/apt-get') && process.getuid?.() === 0;
}

/**
 * Resolves with undefined, or with what was said when it failed. One installation at a time: `npm test` begins with two,
 * and apt-get does not wait for the lock of its package lists.
 */
export async function installDebianPackages(...names: string[]): Promise<string | undefined> {
  const lock = ['--wait', '600', join(tmpdir(), 'offizin-packages.lock')];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1', LC_ALL: 'C' };
  try {
    const options = { env, maxBuffer: 16 * 1024 * 1024 };
    await promisify(execFile)('flock', [...lock, 'sh', '-c', SCRIPT, 'sh', ...names], options);
    return undefined;
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() ?? '';
    return `Debian's ${names.join(', ')} was not installed:\n${(said || String(error)).slice(-4_000)}`;
  }
}
