import { entities } from './entities';
import { migrations } from './migrations';

/** Only the worker reads and writes these tables. */
export const SCHEMA = 'webhooks';

export const webhookWorkerSchema = { schema: SCHEMA, entities, migrations };
