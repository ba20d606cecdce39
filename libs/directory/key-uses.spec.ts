import type { KeyUse } from '@offizin/contracts/people/directory';
import { KeyUses, MAX_USES_PER_MESSAGE } from './key-uses';

const START_MS = Date.parse('2026-01-01T00:00:00.000Z');

class Bench {
  nowMs = START_MS;
  readonly reported: KeyUse[][] = [];
  failing = false;
  clockIsOffMs = 0;
  readonly uses = new KeyUses(
    async (uses) => {
      if (this.failing) throw new Error('order-core is unavailable');
      this.reported.push(uses);
    },
    () => this.nowMs,
    () => this.nowMs + this.clockIsOffMs,
  );
}

it('reports the uses of several keys in one message', async () => {
  const bench = new Bench();
  bench.uses.note('a');
  bench.nowMs += 10;
  bench.uses.note('b');
  await bench.uses.flush();
  expect(bench.reported).toEqual([
    [
      { key_id: 'a', at: '2026-01-01T00:00:00.000Z' },
      { key_id: 'b', at: '2026-01-01T00:00:00.010Z' },
    ],
  ]);
});

it('reports a key at most once a minute', async () => {
  const bench = new Bench();
  for (let second = 0; second < 180; second++) {
    bench.nowMs = START_MS + second * 1000;
    bench.uses.note('a');
    await bench.uses.flush();
  }
  expect(bench.reported.flat().map(({ at }) => at.slice(14, 19))).toEqual(['00:00', '01:00', '02:00']);
});

it('sends nothing without uses', async () => {
  const bench = new Bench();
  await bench.uses.flush();
  expect(bench.reported).toEqual([]);
});

it('splits reports over the limit of one message', async () => {
  const bench = new Bench();
  for (let key = 0; key <= MAX_USES_PER_MESSAGE; key++) bench.uses.note(String(key));
  await bench.uses.flush();
  await bench.uses.flush();
  expect(bench.reported.map((uses) => uses.length)).toEqual([MAX_USES_PER_MESSAGE, 1]);
});

it('ignores a failed report, and continues with the next', async () => {
  const bench = new Bench();
  bench.failing = true;
  bench.uses.note('a');
  await bench.uses.flush();
  bench.failing = false;
  bench.nowMs += 60_000;
  bench.uses.note('a');
  await bench.uses.flush();
  expect(bench.reported).toHaveLength(1);
});

it('reports the next use with the right time once the clock is corrected', async () => {
  const bench = new Bench();
  bench.clockIsOffMs = 86_400_000;
  bench.uses.note('a');
  await bench.uses.flush();
  bench.clockIsOffMs = 0;
  bench.nowMs += 60_000;
  bench.uses.note('a');
  await bench.uses.flush();
  expect(bench.reported.at(-1)).toEqual([{ key_id: 'a', at: '2026-01-01T00:01:00.000Z' }]);
});
