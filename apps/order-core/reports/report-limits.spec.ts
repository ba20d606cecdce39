import { MAX_RUNNING_REPORTS, ReportLimits } from './report-limits';

const never = (): Promise<never> => new Promise(() => undefined);

it('turns a report away while too many run, and takes the next when one is done', async () => {
  const limits = new ReportLimits();
  let finish = (): void => undefined;
  const first = limits.run(() => new Promise<void>((resolve) => (finish = resolve)));
  for (let n = 1; n < MAX_RUNNING_REPORTS; n++) void limits.run(never);
  const refused = expect.objectContaining({ name: 'Unreachable', code: 'service_unavailable' });
  await expect(limits.run(never)).rejects.toEqual(refused);
  finish();
  await first;
  await expect(limits.run(() => Promise.resolve('done'))).resolves.toBe('done');
});

it('makes room again after a failure, which it passes on', async () => {
  const limits = new ReportLimits();
  const failure = new Error('no such column');
  for (let n = 0; n <= MAX_RUNNING_REPORTS; n++) {
    await expect(limits.run(() => Promise.reject(failure))).rejects.toBe(failure);
  }
});

it.each([
  ['the server breaks off', Object.assign(new Error('canceling statement'), { code: '57014' })],
  ['is not waited for any longer', new Error('Query read timeout')],
])('calls it a time-out when a statement %s', async (_, error) => {
  const timeout = expect.objectContaining({ name: 'Unreachable', code: 'timeout' });
  await expect(new ReportLimits().run(() => Promise.reject(error))).rejects.toEqual(timeout);
});
