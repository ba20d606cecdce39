import { RateLimited } from '../../../clients/typescript/src/errors';
import { failureOf } from '../failure';
import { inBatches } from './import-command';

it('states after how many lines an import broke off, and why', async () => {
  const seen: number[] = [];
  const write = (batch: readonly number[]): Promise<void> =>
    batch.includes(4) ? Promise.reject(new Error('The broker is unreachable.')) : Promise.resolve();
  const written = { encoding: 'utf-8', updated: 2, unchanged: 1, refused: [] };
  const onProgress = (done: number): void => void seen.push(done);
  const importing = inBatches([[1, 2], [3], [4, 5], [6]], 6, write, { onProgress, written });
  await expect(importing).rejects.toThrow(
    'The broker is unreachable.\n' +
      'Stopped after 3 of 6 lines (updated 2, unchanged 1). Import the same file again: it goes on.',
  );
  expect(seen).toEqual([2, 3]);
});

it('fails with the code, the request and the remedy of what stopped it', async () => {
  const limited = new RateLimited(429, 'rate_limited', 'Too many requests.', [], 'request-1');
  const importing = inBatches([[1]], 1, () => Promise.reject(limited), {
    onProgress: () => undefined,
    written: {},
  });
  const failure = await importing.catch(failureOf);
  expect(failure).toEqual({
    error: 'rate_limited',
    request_id: 'request-1',
    remedy: 'Wait, and run it again.',
    message: 'Too many requests.\nStopped after 0 of 1 lines. Import the same file again: it goes on.',
  });
});
