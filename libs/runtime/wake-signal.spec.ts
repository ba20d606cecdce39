import { WakeSignal } from './wake-signal';

const LONG_MS = 60_000;

it('ends a pause at the ring', async () => {
  const wakeSignal = new WakeSignal();
  const pause = wakeSignal.pause(LONG_MS);
  wakeSignal.wake();
  await expect(pause).resolves.toBeUndefined();
});

it('does not miss a ring that comes before the pause, and forgets it afterwards', async () => {
  const wakeSignal = new WakeSignal();
  wakeSignal.wake();
  wakeSignal.wake();
  await wakeSignal.pause(LONG_MS);
  const startedAt = performance.now();
  await wakeSignal.pause(30);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(25);
});

it('ends a pause by itself when nobody rings', async () => {
  await expect(new WakeSignal().pause(1)).resolves.toBeUndefined();
});
