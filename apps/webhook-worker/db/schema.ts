import { join } from 'node:path';
import { sqlMigration } from '@offizin/pg/migrate';
import { entities } from './entities';

/** In ascending order; docs/recipes.md#the-schema describes how to add one. */
export const migrations = [sqlMigration(join(__dirname, '0001-schema.sql'))];

/**
 * Planner settings for a queue table. Its statistics are always stale: the planner believes that nothing is pending and
 * prefers a full scan to a few hundred index probes. These settings make every join a loop over index probes. Generic
 * plans are forced because planning takes longer than a small lease statement.
 */
export const QUEUE_PLANS = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
  // PostgreSQL before 18 compiles plans that cannot avoid a disabled node, because their estimated cost is huge.
  jit: 'off',
};

/** Only the worker reads and writes these tables. */
export const SCHEMA = 'webhooks';

export const webhookWorkerSchema = { schema: SCHEMA, entities, migrations, settings: QUEUE_PLANS };
