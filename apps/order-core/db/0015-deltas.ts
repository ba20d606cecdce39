import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '@offizin/pg/migrate';

/** Order requests and prescriptions by the time of their last change, as orders are. */
export class Deltas0015 implements MigrationInterface {
  readonly name = '0015';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['order_requests', 'prescriptions']) {
      const [name, on] = [`${table}_org_updated`, `${table} (org_id, updated_at, id)`];
      await createIndexConcurrently(runner, { schema: 'core', name, on });
    }
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0015 cannot be undone: restore a backup instead.'));
  }
}
