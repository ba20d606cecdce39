import type { CallAnswer } from './caller';

/** Starts all calls in one tick. */
export function atOnce<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)));
}

/** Such as `1 × 201, 99 × 200`; a call without an answer counts by its failure. */
export function statusesOf(answers: readonly Pick<CallAnswer, 'status' | 'failure'>[]): string {
  const counts = new Map<string, number>();
  for (const { status, failure } of answers) {
    const name = String(status ?? failure);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ');
}
