import { entities } from './entities';
import { migrations } from './migrations';

/** The schema that the worker owns; nobody else reads its tables. */
export const SCHEMA = 'webhooks';

export const webhookWorkerSchema = { schema: SCHEMA, entities, migrations };
