import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One index for each filter and order of the list, and for each column that `q` searches. Made beside running writers,
 * so outside a transaction; what an attempt that was broken off left behind is not valid and goes first.
 */
export class OrderIndexes1763745000002 implements MigrationInterface {
  name = 'OrderIndexes1763745000002';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(INDEXES)) {
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS core.${name}`);
      await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON core.orders ${columns}`);
    }
    // orders_search_email answers what it answered.
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS core.orders_customer_email`);
  }

  down(): Promise<void> {
    return Promise.reject(
      new Error('The version before is slower without them and wrong in nothing: keep them.'),
    );
  }
}

/** As libs/pg/list-page.ts folds text; frozen here, because indexes are made of it. */
const folded = (expression: string): string =>
  `translate(lower(${expression}), 'ÄÖÜÀÂÇÉÈÊËÎÏÑÓÔŁŠŽ', 'äöüàâçéèêëîïñóôłšž')`;

/** text_pattern_ops: a LIKE of a prefix uses the index whatever the collation of the database. */
const searched = (column: string): string =>
  `(org_id, (${folded(column)}) text_pattern_ops) WHERE ${column} IS NOT NULL`;

const INDEXES = {
  orders_org_status_created: '(org_id, status, created_at, id)',
  orders_org_shop_created: '(org_id, shop_id, created_at, id)',
  orders_org_shop_status_created: '(org_id, shop_id, status, created_at, id)',
  orders_org_payment_created: '(org_id, payment_status, created_at, id)',
  orders_org_updated: '(org_id, updated_at, id)',
  orders_search_name: searched('customer_name'),
  orders_search_email: searched('customer_email'),
  orders_search_number: searched('order_number'),
  orders_search_external: searched('external_id'),
};
