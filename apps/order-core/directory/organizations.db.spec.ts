import { newId } from '@offizin/pg/ids';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../db/schema';
import { insertOrganization, insertShop } from './directory.store';
import { listOrganizationsAfter } from './organizations.store';

let test: TestDatabase;

beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
});
afterAll(() => test.close());

it('lists organizations page by page, oldest first, with their shops', async () => {
  const ids = [newId(), newId(), newId()];
  for (const id of ids) await insertOrganization(test.database, id, `Apotheke ${id}`);
  await insertShop(test.database, ids[1] ?? '', { id: newId(), name: 'Mitte', domain: 'mitte.localhost' });
  const first = await listOrganizationsAfter(test.database, {}, 2);
  expect(first).toMatchObject({
    data: [
      { org_id: ids[0], shops: 0 },
      { org_id: ids[1], shops: 1 },
    ],
    next: ids[1],
  });
  const rest = await listOrganizationsAfter(test.database, { after: ids[1] }, 2);
  expect(rest).toMatchObject({ data: [{ org_id: ids[2], live_keys: 0, is_active: true }], next: null });
  expect((await listOrganizationsAfter(test.database, { org_id: ids[1] })).data).toHaveLength(1);
  expect((await listOrganizationsAfter(test.database, { org_id: newId() })).data).toEqual([]);
});
