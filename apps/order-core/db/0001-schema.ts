import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createOutboxSql } from '@offizin/events/outbox';
import { createSetAsideSql } from '@offizin/events/set-aside';
import { createIdempotencySql } from '@offizin/idempotency/idempotency-keys';
import { AUDIT } from './0001-audit';
import { COUNTERS } from './0001-counters';
import { DIRECTORY } from './0001-directory';
import { ORDER_REQUESTS } from './0001-order-requests';
import { ORDERS } from './0001-orders';
import { PRESCRIPTIONS } from './0001-prescriptions';
import { REVIEW } from './0001-review';
import { STAFF } from './0001-staff';

/** The whole schema of order-core, in one transaction. Released with 0.1.0 and then never edited: add 0002. */
export class Schema0001 implements MigrationInterface {
  readonly name = '0001';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [
      ...DIRECTORY,
      ...STAFF,
      ...ORDERS,
      ...ORDER_REQUESTS,
      ...COUNTERS,
      ...REVIEW,
      ...PRESCRIPTIONS,
      ...AUDIT,
      ...createOutboxSql('core'),
      ...createSetAsideSql('core'),
      ...createIdempotencySql('core'),
    ]) {
      await runner.query(sql);
    }
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0001 cannot be undone: restore a backup instead.'));
  }
}
