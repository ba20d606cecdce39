import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { databaseSpec } from '../spec/core-spec';
import { eraseOldTests } from './test-shop-erasure.store';

const test = databaseSpec();

const refuse = statement<never, [string, number]>(
  'spec_refused_trial',
  `INSERT INTO core.refused_trials VALUES ($1, $1, '', now() - make_interval(days => $2))`,
);
const refused = statement<{ days: number }, []>(
  'spec_refused_trials',
  'SELECT extract(day FROM now() - refused_at)::int AS days FROM core.refused_trials',
);

/** What it does to orders, requests and prescriptions: erasure.db.spec.ts. */
it('forgets what test shops refused more than 90 days ago', async () => {
  for (const days of [89, 91]) await test.database.rows(refuse, newId(), days);
  await eraseOldTests(test.database);
  expect(await test.database.rows(refused)).toEqual([{ days: 89 }]);
});
