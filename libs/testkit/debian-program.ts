import { installDebianPackages, mayInstallPackages } from '@offizin/local-stack/debian-package';
import { findProgram } from '@offizin/local-stack/program-path';

/** False where the specs of a program are left out; continuous integration must have it. */
export function mayHaveProgram(program: string): boolean {
  return process.env['CI'] === 'true' || findProgram([program]) !== undefined || mayInstallPackages();
}

/** Path of a program; on Debian, as root, its package is installed when the program is missing. */
export async function debianProgram(program: string, packageName = program): Promise<string> {
  const found = findProgram([program]);
  if (found) return found;
  const problem = mayInstallPackages()
    ? await installDebianPackages(packageName)
    : `${program} is not on the PATH.`;
  const installed = findProgram([program]);
  if (!installed) throw new Error(problem ?? `The Debian package ${packageName} brought no ${program}.`);
  return installed;
}
