import { eventually } from '@offizin/testkit/eventually';
import { FairShares, type FairSharesOptions } from './fair-shares';
import { registry } from './metrics';

let nowMs: number;

beforeEach(() => (nowMs = 1_000_000));

function sharesOf(options: Partial<FairSharesOptions> = {}): FairShares {
  return new FairShares({
    ...{ name: 'spec time', slots: 4, perParty: 2, waitMs: 60_000, maxWaiting: 100, nowMs: () => nowMs },
    ...options,
  });
}

/** Acquires in the name of a party and notes in `began` who got a slot. */
function waitFor(shares: FairShares, party: string, began: string[]): Promise<() => void> {
  return shares.acquire(party).then((release) => {
    began.push(party);
    return release;
  });
}

/** All promises that can settle have settled. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function refusalOf(waiting: Promise<unknown>): Promise<string> {
  const error: unknown = await waiting.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'Unreachable', code: 'service_unavailable' });
  return error instanceof Error ? error.message : '';
}

it('never gives a party more than its share, nor all parties more than there is', async () => {
  const shares = sharesOf({ slots: 5, perParty: 2 });
  const running = new Map<string, number>();
  let most = 0;
  let mostOfOne = 0;
  const work = (party: string) => async (): Promise<void> => {
    running.set(party, (running.get(party) ?? 0) + 1);
    most = Math.max(
      most,
      [...running.values()].reduce((sum, one) => sum + one, 0),
    );
    mostOfOne = Math.max(mostOfOne, running.get(party) ?? 0);
    await settled();
    running.set(party, (running.get(party) ?? 0) - 1);
  };
  const calls = Array.from({ length: 200 }, (_, n) => `party ${n % 4}`);
  await Promise.all(calls.map((party) => shares.run(party, work(party))));
  expect([most, mostOfOne]).toEqual([5, 2]);
});

it('gives a free slot to the party that used least, however long the queue of another is', async () => {
  const shares = sharesOf({ slots: 1, perParty: 1 });
  const began: string[] = [];
  const first = await waitFor(shares, 'greedy', began);
  const greedy = Array.from({ length: 50 }, () => waitFor(shares, 'greedy', began));
  const modest = waitFor(shares, 'modest', began);
  nowMs += 100;
  first();
  await settled();
  expect(began).toEqual(['greedy', 'modest']);
  nowMs += 1;
  (await modest)();
  await settled();
  expect(began).toEqual(['greedy', 'modest', 'greedy']);
  for (const next of greedy) (await next)();
});

it('forgets use: two parties that want everything get the same slot time', async () => {
  const shares = sharesOf({ slots: 1, perParty: 1 });
  const slotMs: Record<string, number> = { slow: 0, quick: 0 };
  let isOver = false;
  const loop = async (party: string, holdMs: number): Promise<void> => {
    while (!isOver) {
      await shares.run(party, async () => {
        await settled();
        nowMs += holdMs;
        slotMs[party] = (slotMs[party] ?? 0) + holdMs;
        isOver ||= nowMs > 1_060_000;
      });
    }
  };
  await Promise.all([loop('slow', 200), loop('slow', 200), loop('quick', 10), loop('quick', 10)]);
  const { slow = 0, quick = 0 } = slotMs;
  expect(slow / quick).toBeGreaterThan(0.8);
  expect(slow / quick).toBeLessThan(1.25);
});

it('keeps the order of the calls of one party', async () => {
  const shares = sharesOf({ perParty: 1 });
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      shares.run('one', () => {
        order.push(n);
        return Promise.resolve();
      }),
    ),
  );
  expect(order).toEqual(Array.from({ length: 20 }, (_, n) => n));
});

describe('a lower limit beside others', () => {
  it('holds while another party is active, and for a single party not at all', async () => {
    const shares = sharesOf({ slots: 8, perParty: 4, perPartyBesideOthers: 1 });
    const alone = [shares.tryAcquire('one'), shares.tryAcquire('one'), shares.tryAcquire('one')];
    expect(alone).not.toContain(null);
    shares.noteActive('other');
    expect(shares.tryAcquire('one')).toBeNull();
    for (const release of alone) release?.();
    const single = shares.tryAcquire('one');
    expect(single).not.toBeNull();
    expect(shares.tryAcquire('one')).toBeNull();
    nowMs += 10_001;
    expect(shares.tryAcquire('one')).not.toBeNull();
    await settled();
  });

  it('lets everything that waits go on when the other party is gone', async () => {
    const shares = sharesOf({ slots: 8, perParty: 4, perPartyBesideOthers: 1 });
    const began: string[] = [];
    shares.noteActive('other');
    const first = await waitFor(shares, 'one', began);
    const rest = Array.from({ length: 3 }, () => waitFor(shares, 'one', began));
    nowMs += 10_001;
    first();
    await Promise.all(rest);
    expect(began).toHaveLength(4);
  });
});

describe('who has to wait', () => {
  it('is refused after its time, with a message that names the share', async () => {
    const shares = sharesOf({ perParty: 1, waitMs: 5 });
    const release = await shares.acquire('one');
    const expected = 'Your organization uses its whole share of spec time. Try again in a moment.';
    expect(await refusalOf(shares.acquire('one'))).toBe(expected);
    release();
    await expect(shares.run('one', () => Promise.resolve('done'))).resolves.toBe('done');
  });

  it('is refused at once when too many of its own wait, and others are not', async () => {
    const shares = sharesOf({ slots: 1, perParty: 1, maxWaiting: 2 });
    const began: string[] = [];
    const release = await waitFor(shares, 'one', began);
    const waiting = [waitFor(shares, 'one', began), waitFor(shares, 'one', began)];
    expect(await refusalOf(shares.acquire('one'))).toMatch(/whole share of spec time/);
    const other = waitFor(shares, 'other', began);
    nowMs += 10;
    release();
    (await other)();
    for (const next of waiting) (await next)();
    expect(began).toEqual(['one', 'other', 'one', 'one']);
  });

  it('is told that all is in use, when others use it', async () => {
    const shares = sharesOf({ slots: 1, perParty: 1, waitMs: 5 });
    await shares.acquire('other');
    expect(await refusalOf(shares.acquire('one'))).toMatch(/^All spec time is in use\./);
  });

  it('leaves no trace when it gives up', async () => {
    const shares = sharesOf({ name: 'aborted time', slots: 1, perParty: 1 });
    const release = await shares.acquire('one');
    const leaving = new AbortController();
    const waiting = shares.acquire('one', leaving.signal);
    const next = shares.acquire('one');
    const gone = new Error('the caller hung up');
    leaving.abort(gone);
    await expect(waiting).rejects.toBe(gone);
    await expect(shares.acquire('one', leaving.signal)).rejects.toBe(gone);
    release();
    (await next)();
    expect(shares.tryAcquire('one')).not.toBeNull();
    const text = await registry.getSingleMetricAsString('offizin_shares_waiting');
    expect(text).toContain('offizin_shares_waiting{share="aborted time"} 0');
  });
});

it('has a party rest after its work for as long as that took, beside others only', async () => {
  const shares = sharesOf({ slots: 2, perParty: 1, maxRestMs: 50 });
  const workFor = (ms: number, release: () => void): void => {
    nowMs += ms;
    release();
  };
  workFor(200, await shares.acquire('greedy'));
  expect(shares.tryAcquire('modest')).not.toBeNull();
  const second = shares.tryAcquire('greedy');
  expect(second).not.toBeNull();
  workFor(200, second as () => void);
  expect(shares.tryAcquire('greedy')).toBeNull();
  const began: string[] = [];
  const third = waitFor(shares, 'greedy', began);
  await settled();
  expect(began).toEqual([]);
  (await third)();
  expect(began).toEqual(['greedy']);
});

it('gives a slot back once, however often it is released, and also after a failure', async () => {
  const shares = sharesOf({ slots: 1, perParty: 1 });
  const release = await shares.acquire('one');
  release();
  const second = await shares.acquire('one');
  release();
  expect(shares.tryAcquire('one')).toBeNull();
  second();
  const failure = new Error('no such column');
  await expect(shares.run('one', () => Promise.reject(failure))).rejects.toBe(failure);
  expect(shares.tryAcquire('one')).not.toBeNull();
});

it('counts who waits and who was refused, by the name of the share', async () => {
  const shares = sharesOf({ name: 'counted time', perParty: 1, waitMs: 20 });
  const release = await shares.acquire('one');
  const refused = shares.acquire('one').catch((error: unknown) => error);
  await eventually('a call waits', async () =>
    (await registry.metrics()).includes('offizin_shares_waiting{share="counted time"} 1'),
  );
  await refused;
  release();
  const text = await registry.metrics();
  expect(text).toContain('offizin_shares_waiting{share="counted time"} 0');
  expect(text).toContain('offizin_shares_refused_total{share="counted time"} 1');
});
