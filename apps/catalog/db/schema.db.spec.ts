import { schemaDrift } from '@offizin/pg/migrate';
import { specDatabase } from '@offizin/testkit/database';
import { catalogSchema } from './schema';

const test = specDatabase(catalogSchema);

it('entities and migrations agree', async () => {
  expect(await schemaDrift(test.database.dataSource)).toEqual([]);
});
