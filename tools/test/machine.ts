import { readFileSync } from 'node:fs';

/** Time of the work below on the machine that the deadlines were written on (two cores, 27 November 2026), idle. */
const USUAL_MS = 520;
const ROUNDS = 240;
const MOST = 6;

/** How many times slower this machine is now, from 1 to MOST. Takes about half a second of one core. */
export function measureSlowness(): number {
  const rows = Array.from({ length: 2_000 }, (_, index) => ({
    index,
    name: `row ${index}`,
    values: [index, 2 * index],
  }));
  const startedAtMs = performance.now();
  for (let round = 0; round < ROUNDS; round++) JSON.parse(JSON.stringify(rows));
  const factor = (performance.now() - startedAtMs) / USUAL_MS;
  return Math.round(Math.min(MOST, Math.max(1, factor)) * 10) / 10;
}

/** Does the work, then prints its time, how busy the processors were, and how long a process waited for one. */
export async function measured<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const [startedAtMs, before] = [performance.now(), usage()];
  const result = await work();
  const [elapsedMs, after] = [performance.now() - startedAtMs, usage()];
  const total = after.totalTicks - before.totalTicks;
  const busy = percent(after.busyTicks - before.busyTicks, total);
  const waited = percent((after.waitedUs - before.waitedUs) / 1_000, elapsedMs);
  console.log(`-- ${name}: ${Math.round(elapsedMs / 1_000)} s, processors ${busy} busy, pressure ${waited}`);
  return result;
}

function percent(part: number, whole: number): string {
  return whole > 0 ? `${Math.round((100 * part) / whole)} %` : '0 %';
}

/** Source: Linux, proc(5) and Documentation/accounting/psi.rst. Zeros elsewhere. */
function usage(): { busyTicks: number; totalTicks: number; waitedUs: number } {
  const ticks = (/^cpu +(.*)$/m.exec(read('/proc/stat'))?.[1] ?? '').split(' ').map(Number);
  const totalTicks = ticks.slice(0, 8).reduce((total, value) => total + value, 0);
  const idleTicks = (ticks[3] ?? 0) + (ticks[4] ?? 0);
  const waitedUs = Number(/^some .*total=(\d+)$/m.exec(read('/proc/pressure/cpu'))?.[1] ?? 0);
  return { busyTicks: totalTicks - idleTicks, totalTicks, waitedUs };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
