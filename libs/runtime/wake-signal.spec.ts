import { Doorbell } from './wake-signal';

const LONG_MS = 60_000;

it('ends a pause at the ring', async () => {
  const bell = new Doorbell();
  const pause = bell.pause(LONG_MS);
  bell.ring();
  await expect(pause).resolves.toBeUndefined();
});

it('does not miss a ring that comes before the pause, and forgets it afterwards', async () => {
  const bell = new Doorbell();
  bell.ring();
  bell.ring();
  await bell.pause(LONG_MS);
  const startedAt = performance.now();
  await bell.pause(30);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(25);
});

it('ends a pause by itself when nobody rings', async () => {
  await expect(new Doorbell().pause(1)).resolves.toBeUndefined();
});
