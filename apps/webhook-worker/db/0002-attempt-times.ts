import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '@offizin/pg/migrate';

/**
 * Two indexes of a subscription's deliveries: by last attempt, for the statistics of the last hours, and those that will
 * not be tried again. The latter are rare, and searched when an endpoint fails.
 */
export class AttemptTimes0002 implements MigrationInterface {
  readonly name = '0002';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(runner, {
      ...{ schema: 'webhooks', name: 'deliveries_tried' },
      on: 'deliveries (subscription_id, last_attempt_at) WHERE last_attempt_at IS NOT NULL',
    });
    await createIndexConcurrently(runner, {
      ...{ schema: 'webhooks', name: 'deliveries_given_up' },
      on: `deliveries (subscription_id, event_id) WHERE status IN ('failed', 'cancelled')`,
    });
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0002 cannot be undone: restore a backup instead.'));
  }
}
