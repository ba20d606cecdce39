import { WakeSignal } from './periodic-work';

const LONG_MS = 60_000;

it('ends a pause at the wake', async () => {
  const wakeSignal = new WakeSignal();
  const pause = wakeSignal.pause(LONG_MS);
  wakeSignal.wake();
  await expect(pause).resolves.toBeUndefined();
});

it('remembers a wake before the pause, for one pause only', async () => {
  const wakeSignal = new WakeSignal();
  wakeSignal.wake();
  wakeSignal.wake();
  await wakeSignal.pause(LONG_MS);
  const startedAt = performance.now();
  await wakeSignal.pause(30);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(25);
});

it('ends a pause by timeout without a wake', async () => {
  await expect(new WakeSignal().pause(1)).resolves.toBeUndefined();
});
