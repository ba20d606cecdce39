import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

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
