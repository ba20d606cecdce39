import { specDatabase } from '@offizin/testkit/database';
import { type Sql, statement } from './database';
import { ReadCoalescer } from './read-coalescer';

interface Found {
  number: number;
  price: number | null;
  at: Date;
  tags: string[];
}

const find = statement<Found, [string, number]>(
  'spec_find',
  `SELECT number, price::float8 AS price, at, tags FROM core.spec WHERE owner = $1::uuid
   ORDER BY number LIMIT $2::int`,
);
const cut = statement<{ share: number }, [string]>('spec_cut', 'SELECT 12 / $1::int AS share');

const ONE = '00000000-0000-4000-8000-000000000001';
const OTHER = '00000000-0000-4000-8000-000000000002';
const NOBODY = '00000000-0000-4000-8000-000000000003';

const test = specDatabase({ schema: 'core', entities: [], migrations: [] });
let sent: string[];
let reads: ReadCoalescer;

beforeAll(async () => {
  await test.database.dataSource.query(
    `CREATE TABLE core.spec (owner uuid, number int, price numeric, at timestamptz, tags jsonb)`,
  );
  await test.database.dataSource.query(
    `INSERT INTO core.spec SELECT owner::uuid, number, nullif(number, 2) / 4.0, '2026-01-31T12:00:00.123Z', '["a"]'
     FROM unnest(ARRAY['${ONE}', '${OTHER}']) owner, generate_series(1, 3) number`,
  );
});

beforeEach(() => {
  sent = [];
  const watched: Sql = {
    rows: (requested, ...params) => {
      sent.push(requested.name);
      return test.database.rows(requested, ...params);
    },
  };
  reads = new ReadCoalescer(watched);
});

it('answers concurrent callers with one statement, each as if alone', async () => {
  const questions = [
    [OTHER, 2],
    [ONE, 3],
    [NOBODY, 3],
    [OTHER, 1],
  ] as const;
  const answers = await Promise.all(questions.map(async ([owner, limit]) => reads.rows(find, owner, limit)));
  expect(sent).toEqual(['spec_find together']);
  expect(answers.map((rows) => rows.length)).toEqual([2, 3, 0, 1]);
  for (const [index, [owner, limit]] of questions.entries()) {
    expect(answers[index]).toEqual(await test.database.rows(find, owner, limit));
  }
});

it('runs the original statement for a single caller', async () => {
  expect(await reads.rows(find, ONE, 1)).toHaveLength(1);
  expect(sent).toEqual(['spec_find']);
});

it('reports a bad value only to the caller that sent it', async () => {
  const outcomes = await Promise.allSettled(['3', '0', '4'].map(async (by) => reads.rows(cut, by)));
  expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'refused'))).toEqual([
    [{ share: 4 }],
    'refused',
    [{ share: 3 }],
  ]);
});

it('does not combine different statements', async () => {
  const [found, shares] = await Promise.all([reads.rows(find, ONE, 3), reads.rows(cut, '6')]);
  expect(found).toHaveLength(3);
  expect(shares).toEqual([{ share: 2 }]);
  expect(sent.sort()).toEqual(['spec_cut', 'spec_find']);
});
