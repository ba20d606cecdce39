import { schemaDrift } from '@offizin/pg/migrate';
import { testDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from './schema';

it('entities and migrations agree', async () => {
  const { database, close } = await testDatabase(orderCoreSchema);
  try {
    expect(await schemaDrift(database.dataSource)).toEqual([]);
  } finally {
    await close();
  }
});
