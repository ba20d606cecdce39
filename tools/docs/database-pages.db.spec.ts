import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { statement } from '@offizin/pg/database';
import { type ServiceSchema, testDatabase } from '@offizin/testkit/database';
import { catalogSchema } from '../../apps/catalog/db/schema';
import { orderCoreSchema } from '../../apps/order-core/db/schema';
import { webhookWorkerSchema } from '../../apps/webhook-worker/db/schema';
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

/** docs/operate/operations.md says of every table when its rows are removed, or why it does not grow. */
const tables = statement<{ name: string }, []>(
  'spec_tables',
  `SELECT n.nspname || '.' || c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname IN ('core', 'catalog', 'webhooks')`,
);

async function tablesOf(schema: ServiceSchema): Promise<string[]> {
  const { database, close } = await testDatabase(schema);
  try {
    return (await database.rows(tables)).map(({ name }) => name);
  } finally {
    await close();
  }
}

/** Of the first column of the tables below "Retention". */
function describedTables(): string[] {
  const page = readFileSync(join(checkoutRoot, 'docs/operate/operations.md'), 'utf8');
  const section = page.split('### Retention')[1]?.split('\n## ')[0] ?? '';
  return section.split('\n').flatMap((line) => {
    const [, first = ''] = line.startsWith('|') ? line.split('|') : [];
    return [...first.matchAll(/`(\w+\.\w+)`/g)].map(([, name = '']) => name);
  });
}

it('the retention of each table is described once, and of no other', async () => {
  const existing: string[] = [];
  for (const schema of [orderCoreSchema, catalogSchema, webhookWorkerSchema])
    existing.push(...(await tablesOf(schema)));
  expect(existing.length).toBeGreaterThan(40);
  expect(describedTables().sort()).toEqual(existing.sort());
});
