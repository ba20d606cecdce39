import { entities } from './entities';
import { migrations } from './migrations';
import { QUEUE_PLANS } from './queue-plans';

/** Only the worker reads and writes these tables. */
export const SCHEMA = 'webhooks';

export const webhookWorkerSchema = { schema: SCHEMA, entities, migrations, settings: QUEUE_PLANS };
