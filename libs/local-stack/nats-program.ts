import { installDebianPackages, mayInstallPackages } from './debian-package';
import { findProgram, programFolders } from './program-path';

const NAMES = ['nats-server'];

export interface NatsProgramOptions {
  /** Folders to search; PATH and the usual ones unless given. */
  folders?: string[];
  onProgress?: (line: string) => void;
}

/** Path of nats-server. On Debian, as root, installs the package if it is missing. */
export async function findNatsProgram(options: NatsProgramOptions = {}): Promise<string> {
  const found = findProgram(NAMES, options.folders);
  if (found) return found;
  if (!mayInstallPackages()) {
    throw new Error(missingMessage('nats-server is not on the PATH.'));
  }
  options.onProgress?.('nats-server is missing: installing the Debian package nats-server');
  const problem = await installDebianPackages('nats-server');
  const installed = findProgram(NAMES, [...(options.folders ?? []), ...programFolders()]);
  if (!installed)
    throw new Error(missingMessage(problem ?? 'The Debian package brought no program nats-server.'));
  return installed;
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
