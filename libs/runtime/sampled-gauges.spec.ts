import { register } from './metrics';
import { liveGauge, sampleGauges, SAMPLE_EVERY_MS, samplesFailed } from './sampled-gauges';

let now = 0;
let nextName = 0;

/** The name is unique. */
function sampled(ask: () => Promise<{ count: number | null }>): string {
  const name = `offizin_test_${nextName++}`;
  sampleGauges(name, ask, [{ name, help: 'a test', value: ({ count }) => count }], () => now);
  return name;
}

async function valueOf(name: string): Promise<number | null> {
  const { values } = (await register.getSingleMetric(name)?.get()) ?? { values: [] };
  return values[0]?.value ?? null;
}

it('queries once in 15 s, however often and concurrently it is read', async () => {
  let requested = 0;
  const name = sampled(async () => ({ count: ++requested }));
  await Promise.all([valueOf(name), valueOf(name)]);
  now += SAMPLE_EVERY_MS - 1;
  expect(await valueOf(name)).toBe(1);
  now += 1;
  expect(await valueOf(name)).toBe(2);
});

it('does not query before the first read', async () => {
  let requested = 0;
  sampled(async () => ({ count: ++requested }));
  expect(requested).toBe(0);
});

it('has no value, neither the last one nor 0, after a failed query, and counts the failure', async () => {
  let works = true;
  const name = sampled(async () => {
    if (!works) throw new Error('away');
    return { count: 7 };
  });
  expect(await valueOf(name)).toBe(7);
  works = false;
  now += SAMPLE_EVERY_MS;
  expect(await valueOf(name)).toBeNull();
  const failed = (await samplesFailed.get()).values.find(({ labels }) => labels.sample === name);
  expect(failed?.value).toBe(1);
  works = true;
  now += SAMPLE_EVERY_MS;
  expect(await valueOf(name)).toBe(7);
});

it('keeps the last value while a query hangs, and does not hang with it', async () => {
  let hangs = false;
  const name = sampled(() => (hangs ? new Promise(() => undefined) : Promise.resolve({ count: 3 })));
  expect(await valueOf(name)).toBe(3);
  hangs = true;
  now += SAMPLE_EVERY_MS;
  expect(await valueOf(name)).toBe(3);
});

it('reads a live gauge at every scrape', async () => {
  let value = 1;
  liveGauge('offizin_test_live', 'a test', () => value);
  expect(await valueOf('offizin_test_live')).toBe(1);
  value = 2;
  expect(await valueOf('offizin_test_live')).toBe(2);
});
