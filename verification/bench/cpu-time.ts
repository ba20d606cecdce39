import { readdirSync, readFileSync } from 'node:fs';

/** Used CPU time of processes, where the system reports it (Linux). */
export interface Watched {
  name: string;
  pid: number;
  /** Whether its children count, too: PostgreSQL is one process per connection. */
  withChildren: boolean;
}

const CLOCK_TICKS_PER_SECOND = 100;

/** Milliseconds of CPU so far, by name; empty where the system does not report it. */
export function cpuTimesMs(watched: readonly Watched[]): Map<string, number> {
  const times = new Map<string, number>();
  const children = watched.some(({ withChildren }) => withChildren) ? childrenByParent() : new Map();
  for (const { name, pid, withChildren } of watched) {
    const pids = [pid, ...(withChildren ? ((children.get(pid) ?? []) as number[]) : [])];
    const running = pids.reduce((sum, one) => sum + (statOf(one)?.cpuMs ?? 0), 0);
    // Ended children count, too: otherwise the time of a closed backend would be lost.
    const ended = withChildren ? (statOf(pid)?.endedChildrenMs ?? 0) : 0;
    times.set(name, (times.get(name) ?? 0) + running + ended);
  }
  return times;
}

/** Milliseconds between two readings, by name; never below zero, such as when a process was replaced. */
export function cpuUsedMs(before: Map<string, number>, after: Map<string, number>): Map<string, number> {
  return new Map([...after].map(([name, ms]) => [name, Math.max(0, ms - (before.get(name) ?? 0))]));
}

/** Resident memory in MB; NaN where the system does not report it. */
export function residentMb(pid: number): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return (pages * 4096) / 1e6;
  } catch {
    return Number.NaN;
  }
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : null;
    if (stat) children.set(stat.parent, [...(children.get(stat.parent) ?? []), Number(entry)]);
  }
  return children;
}

function statOf(pid: number): { parent: number; cpuMs: number; endedChildrenMs: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; fields are counted behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const msOf = (user: number, system: number): number =>
      ((Number(fields[user]) + Number(fields[system])) * 1000) / CLOCK_TICKS_PER_SECOND;
    return { parent: Number(fields[1]), cpuMs: msOf(11, 12), endedChildrenMs: msOf(13, 14) };
  } catch {
    return null;
  }
}
