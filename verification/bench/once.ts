import type { Bench } from './bench';

/** Several rows show figures of one measurement: it runs with the first of them. */
export function once<T>(measure: (bench: Bench) => Promise<T>): (bench: Bench) => Promise<T> {
  const known = new WeakMap<Bench, Promise<T>>();
  return (bench) => {
    const measured = known.get(bench) ?? measure(bench);
    known.set(bench, measured);
    return measured;
  };
}
