/** Changes many rows, a few at a time, and reports the outcome of each. */

/** Selected rows that one act takes. */
export const MAX_BULK = 50;
export const AT_A_TIME = 4;

/** Works on at most `atATime` items concurrently, in their order. `work` must not reject. */
export async function fewAtATime<Item>(
  items: readonly Item[],
  atATime: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
}
