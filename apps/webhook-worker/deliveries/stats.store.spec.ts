import type { WebhookStats } from '@offizin/contracts/webhooks/webhook-health';
import { RecentStats } from './stats.store';

const none = { delivered: 0, failed: 0, p50_ms: null, p95_ms: null };
let nowMs: number;
let counted: string[];
let fails: boolean;
let recent: RecentStats;

beforeEach(() => {
  [nowMs, counted, fails] = [0, [], false];
  const count = async (orgId: string, id: string): Promise<WebhookStats> => {
    counted.push(`${orgId} ${id}`);
    if (fails) throw new Error('no database');
    return { ...none, since: String(counted.length), hours: [] };
  };
  recent = new RecentStats(count, () => nowMs);
});

it('counts once for all who ask within five seconds, concurrently or one after the other', async () => {
  const first = await Promise.all([recent.of('o', 'w'), recent.of('o', 'w')]);
  nowMs = 4_999;
  first.push(await recent.of('o', 'w'));
  expect([counted.length, new Set(first).size]).toEqual([1, 1]);
  nowMs = 5_000;
  expect(await recent.of('o', 'w')).not.toBe(first[0]);
  expect(counted).toHaveLength(2);
});

it('keeps subscriptions and organizations apart', async () => {
  await Promise.all([recent.of('o', 'w'), recent.of('o', 'x'), recent.of('p', 'w')]);
  expect(counted).toEqual(['o w', 'o x', 'p w']);
});

it('counts again after a failure', async () => {
  fails = true;
  await expect(recent.of('o', 'w')).rejects.toThrow('no database');
  fails = false;
  expect((await recent.of('o', 'w')).since).toBe('2');
});

it('forgets the oldest count when there are more than a thousand', async () => {
  for (let number = 0; number <= 1_000; number++) await recent.of('o', String(number));
  counted = [];
  await Promise.all([recent.of('o', '1'), recent.of('o', '0')]);
  expect(counted).toEqual(['o 0']);
});
