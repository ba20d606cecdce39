import { Refused } from '@offizin/contracts/calls/errors';
import type { EventTopic, OutboxEvent } from '@offizin/contracts/webhooks/events';
import { MAX_CHARACTERS, MAX_EVENTS, publishInOrder } from './outbox-publishing';
import { OutboxPositions, type OutboxRecord } from './outbox-reader';

function row(object: string, sequence: number, { topic = 'plain', bytes = 2 } = {}): OutboxRecord {
  return {
    id: `${object}/${sequence}`,
    position: String(sequence),
    org_id: 'org',
    event_type: 'order_updated',
    aggregate_id: object,
    sequence,
    topic: topic as EventTopic,
    body: 'x'.repeat(bytes),
    traceparent: null,
    integration_id: null,
  };
}

/** The messages in the order of their sending; `answer` is asked for each. */
async function publishing(
  rows: readonly OutboxRecord[],
  answer: (ids: string[]) => Promise<void> = () => Promise.resolve(),
) {
  const sent: string[][] = [];
  const outcome = await publishInOrder(rows, (events: readonly OutboxEvent[]) => {
    const ids = events.map(({ id }) => id);
    sent.push(ids);
    return answer(ids);
  });
  const ids = (of: readonly { row: OutboxRecord }[]) => of.map(({ row: { id } }) => id);
  const published = outcome.published.map(({ id }) => id);
  return { sent, published, failed: ids(outcome.failed), refused: ids(outcome.refused) };
}

it('sends consecutive events of one object together, and those of another topic after them', async () => {
  const topics = ['plain', 'plain', 'stock', 'plain'];
  const rows = topics.map((topic, index) => row('a', index + 1, { topic }));
  const { sent, published } = await publishing([...rows, row('b', 1)]);
  expect(sent.filter(([id]) => id?.startsWith('a'))).toEqual([['a/1', 'a/2'], ['a/3'], ['a/4']]);
  expect(published).toHaveLength(5);
});

it.each([
  ['many', MAX_EVENTS + 1, 2],
  ['large', 3, MAX_CHARACTERS / 2],
])('divides the events of an object that are too %s for one message', async (_what, count, bytes) => {
  const rows = Array.from({ length: count }, (_, index) => row('a', index + 1, { bytes }));
  const { sent } = await publishing(rows);
  expect(sent.map(({ length }) => length)).toEqual([count - 1, 1]);
});

it('sends a later message of an object only after the earlier one was acknowledged', async () => {
  const rows = Array.from({ length: 3 * MAX_EVENTS }, (_, index) => row('a', index + 1));
  let underWay = 0;
  await publishing(rows, async () => {
    expect(++underWay).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    underWay--;
  });
});

it('sends nothing of an object after a message that was not acknowledged', async () => {
  const rows = Array.from({ length: 2 * MAX_EVENTS }, (_, index) => row('a', index + 1));
  const { sent, published, failed } = await publishing([...rows, row('b', 1)], ([first]) =>
    first === 'a/1' ? Promise.reject(new Error('timeout')) : Promise.resolve(),
  );
  expect(sent).toHaveLength(2);
  expect(failed).toEqual(['a/1']);
  expect(published).toEqual(['b/1']);
});

it('sends a refused message again event by event, and skips only the refused event', async () => {
  const { sent, published, refused } = await publishing(
    [1, 2, 3].map((n) => row('a', n)),
    (ids) => (ids.includes('a/2') ? Promise.reject(new Refused('payload_too_large', '')) : Promise.resolve()),
  );
  expect(sent).toEqual([['a/1', 'a/2', 'a/3'], ['a/1'], ['a/2'], ['a/3']]);
  expect(published).toEqual(['a/1', 'a/3']);
  expect(refused).toEqual(['a/2']);
});

it('remembers skipped positions until they are seen', () => {
  const gaps = new OutboxPositions(10);
  expect(gaps.see([12, 15])).toBe(true);
  expect({ newest: gaps.newest, open: gaps.positions() }).toEqual({ newest: 15, open: [11, 13, 14] });
  gaps.see([13, 16]);
  expect({ newest: gaps.newest, open: gaps.positions() }).toEqual({ newest: 16, open: [11, 14] });
});

it('closes the gaps of ended writers only after one more read', () => {
  const gaps = new OutboxPositions(0);
  gaps.see([3]);
  gaps.watch(['7/1']);
  expect(gaps.watchedWriters).toEqual(['7/1']);
  gaps.see([5]);
  expect(gaps.positions()).toEqual([1, 2, 4]);
  gaps.closeAfterNextRead();
  expect(gaps.positions()).toEqual([1, 2, 4]);
  // 4 is newer than the watch.
  gaps.see([1]);
  expect({ open: gaps.positions(), isWatched: gaps.isWatched }).toEqual({ open: [4], isWatched: false });
});

it('reports when there are too many gaps to follow', () => {
  expect(new OutboxPositions(0).see([1_000_000])).toBe(false);
  const many = new OutboxPositions(0);
  expect([1_500, 3_000, 4_500].map((position) => many.see([position]))).toEqual([true, false, false]);
});
