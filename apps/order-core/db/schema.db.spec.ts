import { schemaDrift } from '@offizin/pg/migrate';
import { specDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from './schema';

const test = specDatabase(orderCoreSchema);

it('entities and migrations agree', async () => {
  expect(await schemaDrift(test.database.dataSource)).toEqual([]);
});
