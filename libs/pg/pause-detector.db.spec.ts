import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { statement } from './database';

const insert = statement<never, [string]>('spec_insert', 'INSERT INTO core.spec (text) VALUES ($1)');
const texts = statement<{ text: string }, []>('spec_texts', 'SELECT text FROM core.spec ORDER BY text');

let test: TestDatabase;

beforeAll(async () => {
  test = await testDatabase({ schema: 'core', entities: [], migrations: [] });
  await test.database.dataSource.query('CREATE TABLE core.spec (text text)');
});
afterAll(() => test.close());

/** Blocks the thread as SIGSTOP would: no timer runs. */
function standStill(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
}

it('refuses statements and transactions after a pause, and runs later ones', async () => {
  const { database } = test;
  await database.rows(texts);
  let isBegun = false;
  standStill();
  const late = [
    database.rows(insert, 'late'),
    database.transaction((tx) => {
      isBegun = true;
      return tx.rows(insert, 'late, too');
    }),
  ];
  const outcomes = await Promise.allSettled(late);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
  expect(outcomes[0]).toMatchObject({ reason: { code: 'service_unavailable' } });
  expect(isBegun).toBe(false);
  await database.rows(insert, 'next');
  expect(await database.rows(texts)).toEqual([{ text: 'next' }]);
}, 30_000);
