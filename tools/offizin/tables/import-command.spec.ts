import { inBatches } from './import-command';

it('says after how many lines an import broke off, and why', async () => {
  const seen: number[] = [];
  const write = (batch: readonly number[]): Promise<void> =>
    batch.includes(4) ? Promise.reject(new Error('The broker is away.')) : Promise.resolve();
  const importing = inBatches([[1, 2], [3], [4, 5], [6]], 6, write, (done) => seen.push(done));
  await expect(importing).rejects.toThrow(
    'The broker is away.\nStopped after 3 of 6 lines. Import the same file again: it goes on.',
  );
  expect(seen).toEqual([2, 3]);
});
