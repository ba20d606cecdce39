import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { testDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../../apps/order-core/db/schema';
import { RENDERED, renderedSql } from './rendered-sql';

describe(RENDERED, () => {
  it('is what `node tools/bootstrap.mjs docs` would write', async () => {
    const folder = join(checkoutRoot, RENDERED);
    const names = readdirSync(folder);
    const committed = names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
    expect(Object.fromEntries(committed)).toEqual(await renderedSql());
  });

  it('holds statements that PostgreSQL accepts', async () => {
    const { database, close } = await testDatabase(orderCoreSchema);
    try {
      for (const text of Object.values(await renderedSql())) await database.dataSource.query(text);
    } finally {
      await close();
    }
  });
});
