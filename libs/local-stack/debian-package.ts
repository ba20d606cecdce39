import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const WAIT_SECONDS = 240;
const INSTALL_LIMIT_MS = 5 * 60_000;

export function mayInstallPackages(): boolean {
  return existsSync('/usr/bin/apt-get') && process.getuid?.() === 0;
}

/** Resolves with undefined, or with what apt-get said when it failed. `environment` is added to that of the process. */
export async function installDebianPackage(
  name: string,
  environment: Record<string, string> = {},
): Promise<string | undefined> {
  const updateProblem = await aptGet(['update'], environment);
  const problem = await aptGet(['install', '-y', '--no-install-recommends', name], environment);
  return problem && [updateProblem, problem].filter(Boolean).join('\n');
}

/**
 * Two installations at once wait for each other: `npm test` begins with two, and two stacks may start together. The
 * lock of ours is needed beside the options: apt-get does not wait for the lock of its package lists.
 */
async function aptGet(args: string[], environment: Record<string, string>): Promise<string | undefined> {
  const lock = ['--wait', String(WAIT_SECONDS), join(tmpdir(), 'offizin-packages.lock')];
  const options = ['-q', ...['DPkg', 'APT::Get'].flatMap((part) => ['-o', `${part}::Lock::Timeout=120`])];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C', ...environment };
  try {
    await promisify(execFile)('flock', [...lock, 'apt-get', ...options, ...args], {
      env,
      timeout: INSTALL_LIMIT_MS,
      maxBuffer: 16 * 1024 * 1024,
    });
    return undefined;
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() ?? '';
    return `apt-get ${args[0]} failed:\n${(said || String(error)).slice(-4_000)}`;
  }
}
