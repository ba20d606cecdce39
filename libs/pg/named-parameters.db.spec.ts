import { specDatabase } from '@offizin/testkit/database';
import { type Sql, statement } from './database';
import { ReadCoalescer } from './read-coalescer';

const number = statement<{ number: number }, { ones: number; tens: number }>(
  'spec_number',
  'SELECT $tens::int * 10 + $ones::int + $tens::int * 0 AS number',
);

const test = specDatabase({ schema: 'core', entities: [], migrations: [] });

it('numbers names as they first appear in the text', () => {
  expect(number.text).toBe('SELECT $1::int * 10 + $2::int + $1::int * 0 AS number');
  expect(number.paramNames).toEqual(['tens', 'ones']);
});

it.each<[string, (given: { ones: number; tens: number }) => Promise<unknown>]>([
  ['the pool', (given) => test.database.rows(number, given)],
  ['a transaction', (given) => test.database.transaction(async (tx) => tx.rows(number, given))],
])('%s passes values by name', async (_, rows) => {
  expect(await rows({ ones: 2, tens: 4 })).toEqual([{ number: 42 }]);
  expect(await rows({ tens: 2, ones: 4 })).toEqual([{ number: 24 }]);
});

it('calls that share a statement pass values by name', async () => {
  const reads = new ReadCoalescer(test.database);
  const given = [
    { ones: 1, tens: 2 },
    { tens: 1, ones: 2 },
  ];
  const answers = await Promise.all(given.map(async (each) => reads.rows(number, each)));
  expect(answers).toEqual([[{ number: 21 }], [{ number: 12 }]]);
});

it('a name without a value is not sent as null', async () => {
  const misspelt = statement<{ number: number }, { tens: number }>(
    'spec_misspelt',
    'SELECT $ten::int AS number',
  );
  await expect(test.database.rows(misspelt, { tens: 1 })).rejects.toThrow('spec_misspelt: $ten has no value');
});

it('a text has names or numbers', () => {
  expect(() => statement('spec_mixed', 'SELECT $1, $tens')).toThrow('by name and by number');
});

it('types refuse other parameters', () => {
  const calls = (sql: Sql): unknown[] => [
    // @ts-expect-error a name is missing
    sql.rows(number, { tens: 1 }),
    // @ts-expect-error a name is misspelt
    sql.rows(number, { tens: 1, once: 1 }),
    // @ts-expect-error a value is of another type
    sql.rows(number, { tens: 1, ones: '1' }),
    // @ts-expect-error values have names
    sql.rows(number, 1, 1),
  ];
  expect(calls).toBeInstanceOf(Function);
});
