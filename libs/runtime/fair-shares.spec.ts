import { eventually } from '@offizin/testkit/eventually';
import { Activity, FairShares, type FairSharesOptions } from './fair-shares';
import { register } from './metrics';

let nowMs: number;
let activity: Activity;

beforeEach(() => {
  nowMs = 1_000_000;
  activity = new Activity(() => nowMs);
});

function sharesOf(options: Partial<FairSharesOptions> = {}): FairShares {
  return new FairShares({
    name: 'spec time',
    slots: 4,
    perParty: 2,
    waitMs: 60_000,
    maxWaiting: 100,
    activity,
    nowMs: () => nowMs,
    ...options,
  });
}

function waitFor(shares: FairShares, party: string, began: string[]): Promise<() => void> {
  return shares.acquire(party).then((release) => {
    began.push(party);
    return release;
  });
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function refusalOf(waiting: Promise<unknown>): Promise<string> {
  const error: unknown = await waiting.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'Unreachable', code: 'service_unavailable' });
  return error instanceof Error ? error.message : '';
}

it('never exceeds the share of a party or the total', async () => {
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

it('gives a free slot to a party that comes first, also when others used less', async () => {
  const shares = sharesOf({ slots: 1, perParty: 1, first: { has: (party) => party === 'known', inARow: 3 } });
  const began: string[] = [];
  const first = await waitFor(shares, 'known', began);
  const strangers = ['a', 'b'].map((party) => waitFor(shares, party, began));
  const known = waitFor(shares, 'known', began);
  nowMs += 100;
  first();
  await settled();
  expect(began).toEqual(['known', 'known']);
  (await known)();
  for (const stranger of strangers) (await stranger)();
  expect(began).toEqual(['known', 'known', 'a', 'b']);
});

it('gives the others each slot after some in a row for those that come first', async () => {
  const isKnown = (party: string): boolean => party.startsWith('known');
  const shares = sharesOf({ slots: 1, perParty: 1, first: { has: isKnown, inARow: 2 } });
  const began: string[] = [];
  const parties = ['known 1', 'known 2', 'known 3', 'known 4', 'a', 'a', 'b'];
  const begin = await waitFor(shares, 'known 5', began);
  const waiting = parties.map((party) => waitFor(shares, party, began).then((release) => release()));
  nowMs += 100;
  begin();
  await Promise.all(waiting);
  expect(began).toEqual(['known 5', 'known 1', 'known 2', 'a', 'known 3', 'known 4', 'a', 'b']);
});

it('gives a free slot to the party with the least use, whatever the queue lengths', async () => {
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

it('decays use: two greedy parties get the same slot time', async () => {
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
  it('applies only while another party is active', async () => {
    const shares = sharesOf({ slots: 8, perParty: 4, perPartyBesideOthers: 1 });
    const alone = [shares.tryAcquire('one'), shares.tryAcquire('one'), shares.tryAcquire('one')];
    expect(alone).not.toContain(null);
    activity.note('other');
    expect(shares.tryAcquire('one')).toBeNull();
    for (const release of alone) release?.();
    const single = shares.tryAcquire('one');
    expect(single).not.toBeNull();
    expect(shares.tryAcquire('one')).toBeNull();
    nowMs += 10_001;
    expect(shares.tryAcquire('one')).not.toBeNull();
    await settled();
  });

  it('applies while another party uses another resource of the process', async () => {
    const shares = sharesOf({ slots: 8, perParty: 4, perPartyBesideOthers: 1 });
    await sharesOf({ name: 'other spec time' }).acquire('other');
    expect(shares.tryAcquire('one')).not.toBeNull();
    expect(shares.tryAcquire('one')).toBeNull();
  });

  it('starts waiting calls when the other party becomes inactive', async () => {
    const shares = sharesOf({ slots: 8, perParty: 4, perPartyBesideOthers: 1 });
    const began: string[] = [];
    activity.note('other');
    const first = await waitFor(shares, 'one', began);
    const rest = Array.from({ length: 3 }, () => waitFor(shares, 'one', began));
    nowMs += 10_001;
    first();
    await Promise.all(rest);
    expect(began).toHaveLength(4);
  });
});

describe('a waiting call', () => {
  it('is refused after its time, with a message that names the share', async () => {
    const shares = sharesOf({ perParty: 1, waitMs: 5 });
    const release = await shares.acquire('one');
    const expected = 'Your organization uses its whole share of spec time. Try again in a moment.';
    expect(await refusalOf(shares.acquire('one'))).toBe(expected);
    release();
    await expect(shares.run('one', () => Promise.resolve('done'))).resolves.toBe('done');
  });

  it('is refused immediately when too many calls of its party wait; other parties are not', async () => {
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

  it('is refused with another message when other parties use all slots', async () => {
    const shares = sharesOf({ slots: 1, perParty: 1, waitMs: 5 });
    await shares.acquire('other');
    expect(await refusalOf(shares.acquire('one'))).toMatch(/^All spec time is in use\./);
  });

  it('leaves no state behind when it is aborted', async () => {
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
    const text = await register.getSingleMetricAsString('offizin_shares_waiting');
    expect(text).toContain('offizin_shares_waiting{share="aborted time"} 0');
  });
});

it('makes a party rest after its work for as long as it took, only while others are active', async () => {
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

it('releases a slot once, however often release is called, and after a failure', async () => {
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

it('counts waiting and refused calls by the name of the share', async () => {
  const shares = sharesOf({ name: 'counted time', perParty: 1, waitMs: 20 });
  const release = await shares.acquire('one');
  const refused = shares.acquire('one').catch((error: unknown) => error);
  await eventually('a call waits', async () =>
    (await register.metrics()).includes('offizin_shares_waiting{share="counted time"} 1'),
  );
  await refused;
  release();
  const text = await register.metrics();
  expect(text).toContain('offizin_shares_waiting{share="counted time"} 0');
  expect(text).toContain('offizin_shares_refused_total{share="counted time"} 1');
});
