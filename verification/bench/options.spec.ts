import { join } from 'node:path';
import { isWanted, readOptions } from './options';

const root = join('/', 'checkout');

describe('readOptions', () => {
  it('measures everything and writes the page when nothing is given', () => {
    expect(readOptions([], root)).toEqual({
      only: [],
      quick: false,
      list: false,
      dataDir: join(root, '.data-bench'),
      page: join(root, 'docs', 'performance.md'),
    });
  });

  it.each([[['--quick']], [['--only', 'order']], [['--quick', '--only', 'order']]])(
    'writes no page after %j: it would show less than everything',
    (args) => {
      expect(readOptions(args, root).page).toBeNull();
    },
  );

  it('refuses what it does not know', () => {
    const silenced = process.stderr.write.bind(process.stderr);
    process.stderr.write = () => true;
    try {
      expect(() => readOptions(['--fast'], root)).toThrow('--fast');
    } finally {
      process.stderr.write = silenced;
    }
  });
});

it('knows a wanted row by its beginning', () => {
  expect(isWanted('order upsert new', [])).toBe(true);
  expect(isWanted('order upsert new', ['token', 'order up'])).toBe(true);
  expect(isWanted('order upsert new', ['upsert'])).toBe(false);
});
