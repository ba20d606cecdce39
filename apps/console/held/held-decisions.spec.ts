import { type Held, HeldDecisions } from './held-decisions';

const approve = { kind: 'approve' };
const request = (id: string) => ({ id, customer: `Customer ${id}` });

/** A clock that the spec moves, and a server that answers when the spec says so. */
function world() {
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
  const { held, sent, told, pass } = world();
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

it('sends nothing after an undo', async () => {
  const { held, sent, pass } = world();
  held.decide(request('a'), approve, 5_000);
  expect(held.undo()?.id).toBe('a');
  await pass(60_000);
  expect([sent.length, held.decided().size, held.undo()]).toEqual([0, 0, null]);
});

it('undoes the newest, or the named one', () => {
  const { held } = world();
  for (const id of ['a', 'b', 'c']) held.decide(request(id), approve, 5_000);
  expect(held.undo()?.id).toBe('c');
  expect(held.undo('a')?.id).toBe('a');
  expect(held.undo('a')).toBeNull();
});

it('takes one decision per request, also while it is on its way', async () => {
  const { held, sent, pass, answerWith } = world();
  answerWith(() => new Promise(() => undefined));
  expect(held.decide(request('a'), approve, 0)).not.toBeNull();
  expect(held.decide(request('a'), { kind: 'reject' }, 0)).toBeNull();
  await pass(0);
  expect(sent).toHaveLength(1);
});

it('brings a refused one back with its reason', async () => {
  const { held, told, pass, answerWith } = world();
  answerWith(() => Promise.reject(new Error('out of stock')));
  held.decide(request('a'), approve, 0);
  await pass(0);
  expect(told).toEqual(['refused a: Error: out of stock']);
  expect(held.decided().size).toBe(0);
  expect(held.decide(request('a'), approve, 0)).not.toBeNull();
});

it('sends everything at once, to outlive the page, when the page closes', () => {
  const { held, sent } = world();
  for (const id of ['a', 'b']) held.decide(request(id), approve, 10_000);
  held.releaseAll();
  expect(sent.map(({ decision, keepalive }) => [decision.id, keepalive])).toEqual([
    ['a', true],
    ['b', true],
  ]);
});
