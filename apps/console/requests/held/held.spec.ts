import { ApiError } from '../../calls/api';
import { type Held, HeldDecisions } from './held-decisions';
import { sendSurely, StaleDecision, type SendHooks } from './send-surely';

describe('held decisions', () => {
  const approve = { kind: 'approve' };
  const request = (id: string) => ({ id, customer: `Customer ${id}` });

  /** A clock that the spec moves, and a server that answers when the spec lets it. */
  function heldWithClock() {
    const timers = new Map<number, { at: number; run: () => void }>();
    const sent: { decision: Held<typeof approve>; keepalive: boolean }[] = [];
    const told: string[] = [];
    let nowMs = 0;
    let last = 0;
    let answer: (id: string) => Promise<unknown> = () => Promise.resolve();
    const held = new HeldDecisions<typeof approve>({
      after: (ms, run) => {
        const timer = (last += 1);
        timers.set(timer, { at: nowMs + ms, run });
        return () => timers.delete(timer);
      },
      newKey: () => `key-${(last += 1)}`,
      send: (decision, keepalive) => {
        sent.push({ decision, keepalive });
        return answer(decision.id);
      },
      onRefused: ({ id }, error) => told.push(`refused ${id}: ${String(error)}`),
      onSent: ({ id }) => told.push(`sent ${id}`),
      onChange: () => undefined,
    });
    const pass = async (ms: number) => {
      nowMs += ms;
      for (const [timer, { at, run }] of timers)
        if (at <= nowMs) {
          timers.delete(timer);
          run();
        }
      await Promise.resolve();
      await Promise.resolve();
    };
    return { held, sent, told, pass, answerWith: (by: typeof answer) => (answer = by) };
  }

  it('sends after the undo time, once, and hides the row from the key press on', async () => {
    const { held, sent, told, pass } = heldWithClock();
    const decision = held.decide(request('a'), approve, 5_000);
    expect([...held.decided().keys()]).toEqual(['a']);
    await pass(4_999);
    expect(sent).toHaveLength(0);
    await pass(1);
    await pass(60_000);
    expect(sent).toHaveLength(1);
    expect(told).toEqual(['sent a']);
    // Hidden until the list was read again.
    expect([...held.decided().keys()]).toEqual(['a']);
    if (decision) held.forget(decision);
    expect(held.decided().size).toBe(0);
  });

  it('sends nothing after an undo, and takes another decision only then', async () => {
    const { held, sent, pass } = heldWithClock();
    held.decide(request('a'), approve, 5_000);
    expect(held.decide(request('a'), { kind: 'reject' }, 5_000)).toBeNull();
    expect(held.undo('a')?.act).toEqual(approve);
    await pass(60_000);
    expect([sent.length, held.decided().size, held.undo('a')]).toEqual([0, 0, null]);
    expect(held.decide(request('a'), { kind: 'reject' }, 5_000)).not.toBeNull();
  });

  it('undoes the named one alone', () => {
    const { held } = heldWithClock();
    for (const id of ['a', 'b', 'c']) held.decide(request(id), approve, 5_000);
    expect(held.undo('b')?.id).toBe('b');
    expect(held.undo('b')).toBeNull();
    expect([...held.decided().keys()]).toEqual(['a', 'c']);
  });

  it('takes one decision per request: held, on its way, and until the lists know it', async () => {
    const { held, sent, pass, answerWith } = heldWithClock();
    let taken = (): void => undefined;
    answerWith(() => new Promise<void>((resolve) => (taken = resolve)));
    const again = () => [held.decided().get('a')?.phase, held.decide(request('a'), { kind: 'reject' }, 0)];
    const decision = held.decide(request('a'), approve, 5_000);
    expect(again()).toEqual(['held', null]);
    await pass(5_000);
    expect(again()).toEqual(['sending', null]);
    expect(held.undo('a')).toBeNull();
    taken();
    await pass(0);
    expect(again()).toEqual(['sent', null]);
    expect(sent).toHaveLength(1);
    if (decision) held.forget(decision);
    expect(held.decide(request('a'), { kind: 'reject' }, 0)).not.toBeNull();
  });

  it('brings a refused one back with its reason', async () => {
    const { held, told, pass, answerWith } = heldWithClock();
    answerWith(() => Promise.reject(new Error('out of stock')));
    held.decide(request('a'), approve, 0);
    await pass(0);
    expect(told).toEqual(['refused a: Error: out of stock']);
    expect(held.decided().size).toBe(0);
    expect(held.decide(request('a'), approve, 0)).not.toBeNull();
  });

  it('sends everything once more, to outlive the page, when the page closes', async () => {
    const { held, sent, pass, answerWith } = heldWithClock();
    answerWith(() => new Promise(() => undefined));
    held.decide(request('sending'), approve, 0);
    held.decide(request('held'), approve, 10_000);
    expect(held.leave().map(({ id }) => id)).toEqual(['sending', 'held']);
    await pass(60_000);
    expect(sent.map(({ decision, keepalive }) => [decision.id, keepalive])).toEqual([
      ['sending', false],
      ['sending', true],
      ['held', true],
    ]);
    expect(new Set(sent.map(({ decision }) => decision.key)).size).toBe(2);
  });

  it('leaves nothing behind that the server has answered', async () => {
    const { held, pass } = heldWithClock();
    held.decide(request('a'), approve, 0);
    await pass(0);
    expect(held.leave()).toEqual([]);
  });

  it('sends what is held before the person signs out, and tells whether all of it was taken', async () => {
    const { held, sent, pass, answerWith } = heldWithClock();
    held.decide(request('a'), approve, 10_000);
    expect(await held.finish()).toBe(true);
    expect(sent.map(({ keepalive }) => keepalive)).toEqual([false]);
    answerWith((id) => (id === 'b' ? Promise.reject(new Error('out of stock')) : Promise.resolve()));
    for (const id of ['b', 'c']) held.decide(request(id), approve, 10_000);
    expect(await held.finish()).toBe(false);
    await pass(60_000);
    expect(sent).toHaveLength(3);
    expect(await held.finish()).toBe(true);
  });
});

describe('sending until there is an answer', () => {
  interface TestHooks extends SendHooks {
    away: number;
  }

  /** Hooks whose clock moves only in `wait`, and for `lockedMs` while the screen is locked. */
  function testHooks(lockedMs = 0): TestHooks {
    let atMs = 0;
    let isLocked = false;
    const hooks: TestHooks = {
      away: 0,
      nowMs: () => atMs,
      wait: (ms) => {
        atMs += ms;
        return Promise.resolve();
      },
      whenUnlocked: () => {
        if (isLocked) atMs += lockedMs;
        isLocked = false;
        return Promise.resolve();
      },
      onEnded: () => {
        isLocked = true;
      },
      onAway: () => {
        hooks.away += 1;
      },
    };
    return hooks;
  }

  function answers(...statuses: number[]): () => Promise<string> {
    return () => {
      const status = statuses.length > 1 ? statuses.shift() : statuses[0];
      if (status === 200) return Promise.resolve('done');
      return Promise.reject(new ApiError(status ?? 0, 'code', 'message', null));
    };
  }

  it.each([[0], [502], [503], [504]])(
    'sends again while the answer is %d, and reports it',
    async (status) => {
      const hooks = testHooks();
      expect(await sendSurely(answers(status, status, 200), hooks)).toBe('done');
      expect(hooks.away).toBe(2);
    },
  );

  it('gives up after a minute without an answer, and not before', async () => {
    const hooks = testHooks();
    await expect(sendSurely(answers(503), hooks)).rejects.toMatchObject({ status: 503 });
    expect(hooks.nowMs()).toBeGreaterThanOrEqual(60_000);
    expect(hooks.nowMs()).toBeLessThan(70_000);
  });

  it.each([[400], [403], [404], [409], [412], [422], [429], [500]])(
    'takes %d as the answer',
    async (status) => {
      const hooks = testHooks();
      await expect(sendSurely(answers(status, 200), hooks)).rejects.toMatchObject({ status });
      expect(hooks.away).toBe(0);
    },
  );

  it('waits for the same person when the session has ended', async () => {
    expect(await sendSurely(answers(401, 503, 200), testHooks(5 * 60_000))).toBe('done');
  });

  it('does not send what was decided more than 10 minutes before the person came back', async () => {
    let sent = 0;
    const send = () => {
      sent += 1;
      return answers(401)();
    };
    await expect(sendSurely(send, testHooks(11 * 60_000))).rejects.toThrow(StaleDecision);
    expect(sent).toBe(1);
  });
});
