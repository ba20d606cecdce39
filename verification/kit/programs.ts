import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { findProgram } from '@offizin/local-stack/program-path';

/** Why the specs of a program cannot run here, or undefined. `npm test` has installed Debian's packages before. */
export function programProblem(program: string): string | undefined {
  return findProgram([program]) === undefined ? `there is no ${program}` : undefined;
}

/** Path of a program without a problem. */
export function requiredProgram(program: string): string {
  const found = findProgram([program]);
  if (found === undefined) throw new Error(`${program} is not on the PATH.`);
  return found;
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
