import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Process ids are reused. Before a recorded process is signalled, its start time (and, by the callers, its command
 * line) must match the record.
 */
export interface ProcessIdentity {
  pid: number;
  /** Start time as the system formats it; compared, never parsed. */
  startedAt: string;
}

export function identityOf(pid: number): ProcessIdentity | undefined {
  const startedAt = startTime(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isSameProcess(recorded: ProcessIdentity): boolean {
  return startTime(recorded.pid) === recorded.startedAt;
}

export function isAlive(pid: number): boolean {
  return startTime(pid) !== undefined;
}

export function commandLine(pid: number): string {
  if (process.platform !== 'linux') return ps(pid, 'command') ?? '';
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Linux only: processes whose working directory is `folder`, such as a PostgreSQL server and its backends. */
export function processesIn(folder: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => workingDirectory(pid) === folder && isAlive(pid));
}

/** True when the condition held within `limitMs`. */
export async function waitUntil(condition: () => boolean, limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

export function signalPid(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // The process has already ended.
    if (!hasErrorCode(error, 'ESRCH')) throw error;
  }
}

function startTime(pid: number): string | undefined {
  if (process.platform !== 'linux') return ps(pid, 'lstart');
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may contain spaces and parentheses. After it: state is field 3, start time 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const state = fields[0];
    return state === 'Z' || state === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function workingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function ps(pid: number, column: 'command' | 'lstart'): string | undefined {
  const result = spawnSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' });
  return result.status === 0 ? result.stdout.trim() || undefined : undefined;
}

/** True if a system call failed with `code`. No instanceof: under Jest such errors come from another realm. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
