import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** SIGKILL; resolves when the process has ended. For one that has ended before, or was never started, at once. */
export async function killChild(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
