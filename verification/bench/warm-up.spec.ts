import { untilSteady } from './warm-up';

const LONG = { warmUpLimitMs: 60_000 };

/** A piece that has one of the rates after the other, and stays at the last. */
function pieces(...rates: number[]): { piece: () => Promise<number>; ran: () => number } {
  let count = 0;
  const piece = async (): Promise<number> => Promise.resolve(rates[Math.min(count++, rates.length - 1)] ?? 0);
  return { piece, ran: () => count };
}

test('goes on while it becomes faster, and for two pieces more', async () => {
  const { piece, ran } = pieces(100, 150, 200, 300);
  await untilSteady(piece, LONG);
  expect(ran()).toBe(6);
});

test('one slow piece does not end it', async () => {
  const { piece, ran } = pieces(100, 150, 90, 200, 300);
  await untilSteady(piece, LONG);
  expect(ran()).toBe(7);
});

test('what is as quick at once takes three pieces', async () => {
  const { piece, ran } = pieces(100);
  await untilSteady(piece, LONG);
  expect(ran()).toBe(3);
});

test('many small gains are one', async () => {
  const { piece, ran } = pieces(100, 102, 104, 106);
  await untilSteady(piece, LONG);
  expect(ran()).toBe(5);
});

test('without time it is one piece', async () => {
  const { piece, ran } = pieces(100, 200, 300);
  await untilSteady(piece, { warmUpLimitMs: 0 });
  expect(ran()).toBe(1);
});
