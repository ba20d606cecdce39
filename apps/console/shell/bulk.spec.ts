import { fewAtATime } from './bulk';

it('never works on more than a few at once, and leaves none out', async () => {
  const done: number[] = [];
  let [running, most] = [0, 0];
  const items = Array.from({ length: 11 }, (_, index) => index);
  await fewAtATime(items, 4, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    done.push(item);
  });
  expect(most).toBe(4);
  expect(done.sort((a, b) => a - b)).toEqual(items);
});

it('ends at once without items', async () => {
  await fewAtATime([], 4, () => Promise.reject(new Error('there is nothing to do')));
});
