import { schemaDrift } from '@offizin/pg/migrate';
import { testDatabase } from '@offizin/testkit/database';
import { catalogSchema } from './schema';

it('entities and migrations agree', async () => {
  const { database, close } = await testDatabase(catalogSchema);
  try {
    expect(await schemaDrift(database.dataSource)).toEqual([]);
  } finally {
    await close();
  }
});
