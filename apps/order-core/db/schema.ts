import { entities } from './entities';
import { migrations } from './migrations';

/** The schema that order-core owns; no other service reads it. */
export const SCHEMA = 'core';

export const orderCoreSchema = { schema: SCHEMA, entities, migrations };
