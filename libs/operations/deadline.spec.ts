import { ANSWER_WITHIN_MS, answerByDeadline } from './deadline';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const never = new Promise<string>(() => undefined);

it('returns the answer of work that ends in time, and leaves no timer', async () => {
  expect(await answerByDeadline(Promise.resolve('done'), () => 'late')).toBe('done');
  expect(jest.getTimerCount()).toBe(0);
});

it('answers at the deadline for work that never ends', async () => {
  let answer: string | undefined;
  void answerByDeadline(never, () => 'late').then((given) => (answer = given));
  await jest.advanceTimersByTimeAsync(ANSWER_WITHIN_MS - 1);
  expect(answer).toBeUndefined();
  await jest.advanceTimersByTimeAsync(1);
  expect(answer).toBe('late');
});

it('reports the answer of late work only', async () => {
  const ended: string[] = [];
  const note = (answer: string): void => void ended.push(answer);
  await answerByDeadline(Promise.resolve('in time'), () => 'late', note);
  let end: (answer: string) => void = () => undefined;
  const answered = answerByDeadline(
    new Promise<string>((resolve) => (end = resolve)),
    () => 'late',
    note,
    10,
  );
  await jest.advanceTimersByTimeAsync(10);
  expect(await answered).toBe('late');
  expect(ended).toEqual([]);
  end('after all');
  await jest.advanceTimersByTimeAsync(0);
  expect(ended).toEqual(['after all']);
});

it('swallows a late failure', async () => {
  let fail: (error: Error) => void = () => undefined;
  const answered = answerByDeadline(
    new Promise<string>((_, reject) => (fail = reject)),
    () => 'late',
    undefined,
    10,
  );
  await jest.advanceTimersByTimeAsync(10);
  fail(new Error('nobody hears this'));
  expect(await answered).toBe('late');
});

it('rethrows an error that occurs in time', async () => {
  await expect(answerByDeadline(Promise.reject(new Error('no')), () => 'late')).rejects.toThrow('no');
});
