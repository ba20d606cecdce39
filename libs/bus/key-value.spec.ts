import type { NatsConnection } from 'nats';
import { TestBroker } from '@offizin/testkit/broker';
import { eventually } from '@offizin/testkit/eventually';
import { BucketWatch, openBucket } from './key-value';

let broker: TestBroker;
let connection: NatsConnection;
const followers: Follower[] = [];

beforeAll(async () => {
  broker = await TestBroker.start();
  connection = await broker.connect('writer');
});

afterEach(() => {
  for (const follower of followers.splice(0)) follower.watch.stop();
});

afterAll(() => broker.stop());

class Follower {
  present = new Map<string, string>();
  snapshots = 0;
  private filling: Map<string, string> | null = null;
  readonly watch: BucketWatch;

  constructor(bucketName: string, own: NatsConnection) {
    this.watch = new BucketWatch(own, bucketName, {
      begin: () => (this.filling = new Map()),
      change: ({ key, value }) => {
        const target = this.filling ?? this.present;
        if (value) target.set(key, Buffer.from(value).toString());
        else target.delete(key);
      },
      complete: () => {
        this.present = this.filling ?? this.present;
        this.filling = null;
        this.snapshots++;
      },
    });
    followers.push(this);
    this.watch.start();
  }

  async holds(expected: Record<string, string>, deadlineMs = 10_000): Promise<void> {
    const text = JSON.stringify(Object.entries(expected).sort());
    await eventually(text, () => JSON.stringify([...this.present].sort()) === text, deadlineMs);
  }
}

it('reports the content of the bucket, then every change', async () => {
  const bucket = await openBucket(connection, 'changes');
  await bucket.put('a', '1');
  await bucket.put('a', '2');
  await bucket.put('b', '1');
  await bucket.delete('b');
  const follower = new Follower('changes', await broker.connect('reader'));
  await follower.holds({ a: '2' });
  expect(follower.snapshots).toBe(1);
  await bucket.put('c', '3');
  await bucket.delete('a');
  await follower.holds({ c: '3' });
});

it('reports an empty bucket as complete', async () => {
  await openBucket(connection, 'empty');
  const follower = new Follower('empty', await broker.connect('reader'));
  await eventually('the empty snapshot', () => follower.snapshots > 0);
  expect(follower.present.size).toBe(0);
});

it('waits for a missing bucket and does not create it', async () => {
  const follower = new Follower('later', await broker.connect('reader'));
  const manager = await connection.jetstreamManager();
  await expect(manager.streams.info('KV_later')).rejects.toThrow('stream not found');
  const bucket = await openBucket(connection, 'later');
  await bucket.put('a', '1');
  await follower.holds({ a: '1' });
});

it('begins a new snapshot when the bucket was deleted and created again', async () => {
  const bucket = await openBucket(connection, 'replaced');
  await bucket.put('old', '1');
  await bucket.put('both', '1');
  const follower = new Follower('replaced', await broker.connect('reader'));
  await follower.holds({ old: '1', both: '1' });
  await bucket.destroy();
  const again = await openBucket(connection, 'replaced');
  await again.put('both', '2');
  await again.put('new', '2');
  await follower.holds({ both: '2', new: '2' }, 25_000);
  await again.put('later', '3');
  await follower.holds({ both: '2', new: '2', later: '3' });
}, 60_000);

it('lets the event loop run between the changes of a burst', async () => {
  const bucket = await openBucket(connection, 'burst');
  await Promise.all(Array.from({ length: 300 }, (_, index) => bucket.put(`k${index}`, '1')));
  let ticks = 0;
  const perTick = new Map<number, number>();
  const count = (): void => {
    ticks++;
    clock = setImmediate(count);
  };
  let clock = setImmediate(count);
  const isComplete = new Promise<void>((resolve) => {
    const watch = new BucketWatch(connection, 'burst', {
      begin: () => undefined,
      change: () => {
        perTick.set(ticks, (perTick.get(ticks) ?? 0) + 1);
        const endsAtMs = performance.now() + 1;
        while (performance.now() < endsAtMs);
      },
      complete: () => {
        watch.stop();
        resolve();
      },
    });
    watch.start();
  });
  await isComplete;
  clearImmediate(clock);
  expect([...perTick.values()].reduce((sum, changes) => sum + changes, 0)).toBe(300);
  expect(Math.max(...perTick.values())).toBeLessThanOrEqual(4);
});
