import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Debian packages that run containers, and one that makes the base image. */
const PACKAGES = ['podman', 'buildah', 'runc', 'netavark', 'aardvark-dns', 'iptables', 'debootstrap'];

/** Installs what is missing. Throws where that is impossible, with what is needed instead. */
export function installEngine(): void {
  const missing = PACKAGES.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0)
    throw new Error(
      `This needs the Debian packages ${missing.join(', ')}, and installs them only as root on Debian.`,
    );
  console.log(`installing ${missing.join(', ')}`);
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  execFileSync('apt-get', ['-q', 'update'], { env: environment, stdio: [...stdio] });
  const install = ['-q', 'install', '-y', '--no-install-recommends', ...missing];
  execFileSync('apt-get', install, { env: environment, stdio: [...stdio] });
}

function isInstalled(name: string): boolean {
  const answer = spawnSync('dpkg-query', ['--status', name], { encoding: 'utf8' });
  return answer.error === undefined && /^Status: .* installed$/m.test(answer.stdout);
}
