import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { findProgram, installDebianPackages, mayInstallPackages } from '@offizin/local-stack/program-path';

/** Why the specs of a program cannot run here, or undefined. */
export function programProblem(program: string): string | undefined {
  const mayHave = findProgram([program]) !== undefined || mayInstallPackages();
  return mayHave ? undefined : `there is no ${program}`;
}

/** A block that needs what a machine may lack: with a problem it is skipped, and fails in continuous integration. */
export function describeWithout(problem: string | undefined, name: string, block: () => void): void {
  if (problem === undefined) describe(name, block);
  else if (process.env['CI'] === 'true')
    it(name, () => {
      throw new Error(`Continuous integration must run these tests: ${problem}.`);
    });
  // eslint-disable-next-line no-restricted-syntax -- counted as skipped, not as passed
  else it.skip(`${name}: ${problem}`, () => undefined);
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

/** SIGKILL; resolves when the process has ended. For one that has ended before, or was never started, immediately. */
export async function killChild(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Path of a compiled module, for code that runs in its own thread or process. `npm test` has built it. */
export function compiledFile(source: string): string {
  return join(checkoutRoot, 'dist', source.replace(/\.ts$/, '.js'));
}
