import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Further folders to search: a user's PATH often lacks /usr/sbin, where Debian installs it. */
const furtherFolders = ['/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin'];
const startPolicyFile = '/usr/sbin/policy-rc.d';

export interface NatsProgramOptions {
  /** Folders to search; PATH and the usual ones unless given. */
  folders?: string[];
  onProgress?: (line: string) => void;
}

/** Path of nats-server. On Debian, as root, installs the package if it is missing. */
export async function findNatsProgram(options: NatsProgramOptions = {}): Promise<string> {
  const folders = options.folders ?? [...(process.env.PATH ?? '').split(delimiter), ...furtherFolders];
  const found = programIn(folders);
  if (found) return found;
  if (!existsSync('/etc/debian_version') || !existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0) {
    throw new Error(missingMessage('nats-server is not on the PATH.'));
  }
  options.onProgress?.('nats-server is missing: installing the Debian package nats-server');
  const problem = await installPackage();
  const installed = programIn([...folders, ...furtherFolders]);
  if (!installed)
    throw new Error(missingMessage(`Installing the Debian package failed: ${problem ?? 'no program'}`));
  return installed;
}

function programIn(folders: string[]): string | undefined {
  return folders.map((folder) => join(folder, 'nats-server')).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * Debian starts a daemon when its package is installed. A start policy that refuses prevents this (see
 * invoke-rc.d); an existing policy is left alone, ours is removed afterwards.
 */
async function installPackage(): Promise<string | undefined> {
  const ourPolicy = !existsSync(startPolicyFile);
  if (ourPolicy) writeFileSync(startPolicyFile, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' });
  try {
    const updateProblem = await aptGet(['update']);
    const problem = await aptGet(['install', '-y', '--no-install-recommends', 'nats-server']);
    return problem && [updateProblem, problem].filter(Boolean).join('\n');
  } finally {
    if (ourPolicy) rmSync(startPolicyFile, { force: true });
  }
}

function aptGet(args: string[]): Promise<string | undefined> {
  // Concurrent starts wait for the package lock instead of failing.
  const options = ['-q', '-o', 'DPkg::Lock::Timeout=120', '-o', 'APT::Get::Lock::Timeout=120'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1', LC_ALL: 'C' };
  return new Promise((resolve) => {
    const child = spawn('apt-get', [...options, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString('utf8')).slice(-4_000)));
    }
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) =>
      resolve(code === 0 ? undefined : `apt-get ${args[0]} ended with ${code}:\n${output.trim()}`),
    );
  });
}

function missingMessage(reason: string): string {
  return [
    reason,
    'Offizin needs a NATS server with JetStream, 2.9.10 or newer. Any of these will do:',
    '  - Debian, Ubuntu:  apt-get install nats-server   (npm start does it itself when run as root)',
    '  - macOS:           brew install nats-server',
    '  - any system:      the nats-server program from https://github.com/nats-io/nats-server/releases on the PATH',
    '  - a server of your own: set NATS_URL=nats://user:password@host:4222',
  ].join('\n');
}
