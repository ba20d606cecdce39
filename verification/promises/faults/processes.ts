import { readFileSync } from 'node:fs';
import type { SupervisedProcess } from '@offizin/local-stack/supervised-process';
import type { History } from '@offizin/testkit/load/history';
import { pause } from '@offizin/testkit/load/submissions';

const EXIT_LIMIT_MS = 35_000;

/** Sends SIGKILL and waits for the exit. */
export async function kill(process: SupervisedProcess, history: History): Promise<void> {
  history.note(`SIGKILL ${process.name}`);
  process.kill('SIGKILL');
  if (!(await process.exited(EXIT_LIMIT_MS))) throw new Error(`${process.name} survived SIGKILL`);
}

/** Starts it again; resolves with the start time, before it is ready. */
export async function startAgain(process: SupervisedProcess, history: History): Promise<number> {
  await process.start();
  const atMs = Date.now();
  history.note(`${process.name} started`, atMs);
  return atMs;
}

/** SIGTERM; resolves with how long the drain took. */
export async function terminate(process: SupervisedProcess, history: History): Promise<number> {
  const startedAt = performance.now();
  history.note(`SIGTERM ${process.name}`);
  process.end('SIGTERM');
  if (!(await process.exited(EXIT_LIMIT_MS))) throw new Error(`${process.name} does not end`);
  return performance.now() - startedAt;
}

export function freeze(process: SupervisedProcess, history: History): void {
  history.note(`SIGSTOP ${process.name}`);
  process.kill('SIGSTOP');
}

export function thaw(process: SupervisedProcess, history: History): void {
  history.note(`SIGCONT ${process.name}`);
  process.kill('SIGCONT');
}

/** Resident memory of a process, in MiB; null where the system does not report it. */
export function memoryMb(process: SupervisedProcess): number | null {
  try {
    const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${process.pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? null : Number(kib) / 1024;
  } catch {
    return null;
  }
}

/** Watches memory every 100 ms until the returned function is called, which gives the largest value of each process. */
export function watchMemory(processes: readonly SupervisedProcess[]): () => Promise<number[]> {
  const most = processes.map((process) => memoryMb(process) ?? 0);
  let goesOn = true;
  const watching = (async () => {
    for (; goesOn; await pause(100))
      for (const [place, process] of processes.entries())
        most[place] = Math.max(most[place] ?? 0, memoryMb(process) ?? 0);
    return most;
  })();
  return () => {
    goesOn = false;
    return watching;
  };
}
