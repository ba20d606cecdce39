import { readdirSync, readFileSync } from 'node:fs';
import type { Outcome } from './jest-result';

/**
 * Ends processes that a spec started and left; each is a failure. They are known by the folder of the run, which is
 * also the temporary folder of all specs: it is in their command line or environment.
 */
export function endLeftProcesses(runFolder: string, say: (line: string) => void = console.log): Outcome {
  const left = processesOf(runFolder);
  const failed = left.map(
    ({ pid, command }) =>
      `a spec left the process ${pid} running (${command}): stop it in an afterAll of that spec`,
  );
  for (const line of failed) say(`FAIL ${line}`);
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself since.
    }
  }
  return { passed: 0, failed, skipped: 0 };
}

function processesOf(runFolder: string): { pid: number; command: string }[] {
  const pids = readdirSync('/proc').map(Number);
  return pids
    .filter((pid) => pid > 0 && pid !== process.pid)
    .filter((pid) => ['cmdline', 'environ'].some((file) => read(pid, file).includes(runFolder)))
    .map((pid) => ({ pid, command: read(pid, 'cmdline').replaceAll('\0', ' ').trim().slice(0, 160) }))
    .filter(({ command }) => command !== '');
}

/** Empty for a process that has ended, or belongs to another user. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
