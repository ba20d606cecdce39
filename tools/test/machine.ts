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

/** Does the work, then prints its time. */
export async function measured<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const startedAtMs = performance.now();
  const result = await work();
  console.log(`-- ${name}: ${Math.round((performance.now() - startedAtMs) / 1_000)} s`);
  return result;
}
