import { EndpointLoad } from './endpoint-load';

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
  it('starts as many as there are slots, in the order of the claim', () => {
    const load = answeredIn(1);
    load.add(numbers(20));
    expect(startAll(load)).toEqual(numbers(8));
    load.finish(true, 1);
    expect(load.start()).toBe(8);
    expect(load.start()).toBeUndefined();
  });

  it('claims no more than its slots for an endpoint that is new or slow', () => {
    expect(new EndpointLoad<number>(8).wanted).toBe(8);
    expect(answeredIn(5_000).wanted).toBe(8);
  });

  it('is slow only by its known answer time', () => {
    const waits = [new EndpointLoad<number>(8), answeredIn(20), answeredIn(30)];
    expect(waits.map(({ isSlow }) => isSlow)).toEqual([false, false, true]);
  });

  it('claims ahead for an endpoint that answers quickly, and again when half of it is used up', () => {
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
    'claims ahead of an endpoint that takes %d ms no more than it takes in a quarter second',
    (ms, wanted) => {
      expect(answeredIn(ms).wanted).toBe(wanted);
    },
  );

  it('claims at once for an idle slot', () => {
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

  it('returns the work claimed ahead when the endpoint stops answering', () => {
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
