import { begun } from './csv-files';

describe('pieces that have begun', () => {
  async function* pieces(ended: () => void): AsyncGenerator<string, undefined> {
    try {
      yield 'ready';
      yield 'a';
      yield 'b';
    } finally {
      ended();
    }
  }

  it('come whole, without what says that they have begun', async () => {
    const { next } = await begun(pieces(() => undefined));
    expect([await next(), await next(), await next()]).toEqual([
      { value: 'a', done: false },
      { value: 'b', done: false },
      { value: undefined, done: true },
    ]);
  });

  it('release what they hold when nobody reads them', async () => {
    const ended = jest.fn();
    await (await begun(pieces(ended))).return();
    expect(ended).toHaveBeenCalledTimes(1);
  });
});
