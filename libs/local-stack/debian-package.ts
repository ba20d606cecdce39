import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

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
