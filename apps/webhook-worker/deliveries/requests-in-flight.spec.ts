import { eventually } from '@offizin/testkit/eventually';
import { EndpointLoad, type Generation, LeaseBudget, RequestsInFlight } from './requests-in-flight';

const QUICK = false;
const SLOW = true;
const idle = (): number => 0;

/** Begins as many requests as the limit allows, and returns them. */
function fill(inFlight: RequestsInFlight, isSlow: boolean, atMost = 1_000): Generation[] {
  const begun: Generation[] = [];
  while (begun.length < atMost && inFlight.hasRoom(isSlow)) begun.push(inFlight.begin());
  return begun;
}

describe('requests in flight', () => {
  it('are few to quick endpoints and up to the limit to slow ones', () => {
    const inFlight = new RequestsInFlight(100, () => undefined, idle);
    expect(fill(inFlight, QUICK)).toHaveLength(64);
    expect(fill(inFlight, SLOW)).toHaveLength(36);
    expect(inFlight.hasRoom(SLOW)).toBe(false);
  });

  it('free capacity when they end', () => {
    const inFlight = new RequestsInFlight(100, () => undefined);
    const [first] = fill(inFlight, QUICK);
    if (first) inFlight.end(first);
    expect(fill(inFlight, QUICK)).toHaveLength(1);
  });

  it('that are not answered soon free capacity for others, up to the limit', async () => {
    let wentOn = 0;
    const inFlight = new RequestsInFlight(100, () => (wentOn += 1));
    fill(inFlight, QUICK);
    inFlight.enqueue('a');
    await eventually('the endpoint goes on without an answer', () => wentOn > 0);
    await eventually('there is room again', () => inFlight.hasRoom(QUICK));
    expect(fill(inFlight, QUICK)).toHaveLength(36);
  });

  it('to slow endpoints are as few as to quick ones while the process is saturated', async () => {
    let busyShare = 1;
    const inFlight = new RequestsInFlight(
      200,
      () => undefined,
      () => busyShare,
    );
    const room = (): number => {
      const begun = fill(inFlight, SLOW);
      for (const generation of begun) inFlight.end(generation);
      return begun.length;
    };
    expect(room()).toBe(200);
    await eventually('few', () => room() === 64);
    expect(inFlight.hasRoomForSlow).toBe(false);
    busyShare = 0.5;
    await eventually('as many as allowed again', () => room() === 200);
  });

  it('resume waiting endpoints in turn, one request each', () => {
    const order: string[] = [];
    const inFlight: RequestsInFlight = new RequestsInFlight(1, (id) => {
      // Like an endpoint with more work than capacity.
      if (inFlight.hasRoom(QUICK)) {
        order.push(id);
        begun.push(inFlight.begin());
      }
      if (order.length < 5) inFlight.enqueue(id);
    });
    const begun = fill(inFlight, QUICK);
    for (const id of ['a', 'b', 'c']) inFlight.enqueue(id);
    for (let answered = 0; answered < 5; answered++) {
      const generation = begun.shift();
      if (generation) inFlight.end(generation);
      inFlight.resumeWaiting();
    }
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b']);
  });

  it('are waited for', async () => {
    const inFlight = new RequestsInFlight(10, () => undefined);
    await inFlight.empty();
    const begun = fill(inFlight, QUICK, 2);
    let isEmpty = false;
    const emptied = inFlight.empty().then(() => (isEmpty = true));
    for (const generation of begun) {
      expect(isEmpty).toBe(false);
      inFlight.end(generation);
      await Promise.resolve();
    }
    await emptied;
  });
});

/** Whether the promise has resolved by the end of this tick. */
async function isIn(resumed: Promise<void>): Promise<boolean> {
  let done = false;
  void resumed.then(() => (done = true));
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}

describe('LeaseBudget', () => {
  it('blocks leases while too many deliveries wait for a slot, then resumes all of them', async () => {
    const budget = new LeaseBudget(() => 0);
    budget.leased(1_000);
    expect(await isIn(budget.waitForSpace())).toBe(true);
    budget.leased(400);
    const [first, second] = [budget.waitForSpace(), budget.waitForSpace()];
    budget.release(399);
    expect(await isIn(first)).toBe(false);
    budget.release(1);
    expect(await Promise.all([isIn(first), isIn(second)])).toEqual([true, true]);
  });

  it('blocks leases while too many results wait to be written', async () => {
    let unwritten = 2_001;
    const budget = new LeaseBudget(() => unwritten);
    const resumed = budget.waitForSpace();
    expect(await isIn(resumed)).toBe(false);
    unwritten = 2_000;
    budget.resumeWhenFree();
    expect(await isIn(resumed)).toBe(true);
  });

  it('blocks no lease once it is closed', async () => {
    const budget = new LeaseBudget(() => 0);
    budget.leased(5_000);
    const resumed = budget.waitForSpace();
    budget.close();
    expect(await isIn(resumed)).toBe(true);
    expect(await isIn(budget.waitForSpace())).toBe(true);
  });
});

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** An endpoint of 8 slots that has answered once, in the given time. */
function answeredIn(durationMs: number): EndpointLoad<number> {
  const load = new EndpointLoad<number>(8);
  load.add([0]);
  load.start();
  load.finish(true, durationMs);
  return load;
}

function startAll(load: EndpointLoad<number>): number[] {
  const started: number[] = [];
  for (let work = load.start(); work !== undefined; work = load.start()) started.push(work);
  return started;
}

describe('EndpointLoad', () => {
  it('starts as many as there are slots, in the order of their leases', () => {
    const load = answeredIn(1);
    load.add(numbers(20));
    expect(startAll(load)).toEqual(numbers(8));
    load.finish(true, 1);
    expect(load.start()).toBe(8);
    expect(load.start()).toBeUndefined();
  });

  it('leases no more than its slots for an endpoint that is new or slow', () => {
    expect(new EndpointLoad<number>(8).wanted).toBe(8);
    expect(answeredIn(5_000).wanted).toBe(8);
  });

  it('is slow only by its known answer time', () => {
    const waits = [new EndpointLoad<number>(8), answeredIn(20), answeredIn(30)];
    expect(waits.map(({ isSlow }) => isSlow)).toEqual([false, false, true]);
  });

  it('leases ahead for an endpoint that answers quickly, and again when half of it is used up', () => {
    const load = answeredIn(2);
    expect(load.wanted).toBe(512);
    load.add(numbers(512));
    load.mayHaveMore = true;
    const finish = (count: number): void => {
      for (let done = 0; done < count; done++) {
        load.start();
        load.finish(true, 2);
      }
    };
    finish(255);
    expect([load.wanted, load.hungry]).toEqual([0, false]);
    finish(1);
    expect([load.wanted, load.hungry]).toEqual([256, true]);
  });

  it.each([
    [5, 400],
    [10, 200],
    [50, 40],
    [100, 24],
  ])(
    'leases ahead of an endpoint that takes %d ms no more than it takes in a quarter second',
    (ms, wanted) => {
      expect(answeredIn(ms).wanted).toBe(wanted);
    },
  );

  it('leases immediately for an idle slot', () => {
    const load = answeredIn(5_000);
    load.add(numbers(7));
    startAll(load);
    expect(load.wanted).toBe(1);
    load.add([7]);
    expect(load.wanted).toBe(0);
  });

  it('halves the slots with each request that got no answer, down to one, and regains them one by one', () => {
    const load = answeredIn(1);
    const slotsAfter = (answered: boolean): number => {
      load.add([1]);
      load.start();
      load.finish(answered, 1);
      return load.wanted;
    };
    expect([slotsAfter(false), slotsAfter(false), slotsAfter(false), slotsAfter(false)]).toEqual([
      4, 2, 1, 1,
    ]);
    expect([slotsAfter(true), slotsAfter(true)]).toEqual([2, 3]);
  });

  it('returns the work leased ahead when the endpoint stops answering', () => {
    const load = answeredIn(1);
    load.add(numbers(30));
    startAll(load);
    expect(load.takeExcess()).toEqual([]);
    load.finish(false, 15_000);
    expect(load.takeExcess()).toHaveLength(22);
    expect(load.wanted).toBe(0);
  });

  it('is idle only when nothing is in flight and nothing waits', () => {
    const load = new EndpointLoad<number>(2);
    expect(load.idle).toBe(true);
    load.add([1]);
    expect(load.idle).toBe(false);
    load.start();
    expect(load.idle).toBe(false);
    load.skip();
    expect(load.idle).toBe(true);
  });
});
