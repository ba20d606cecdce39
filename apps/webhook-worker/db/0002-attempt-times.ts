import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '@offizin/pg/migrate';

/** The deliveries of a subscription that were tried in the last hours. A delivery enters with its first attempt. */
export class AttemptTimes0002 implements MigrationInterface {
  readonly name = '0002';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(runner, {
      ...{ schema: 'webhooks', name: 'deliveries_tried' },
      on: 'deliveries (subscription_id, last_attempt_at) WHERE last_attempt_at IS NOT NULL',
    });
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0002 cannot be undone: restore a backup instead.'));
  }
}
