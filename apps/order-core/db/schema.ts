import { join } from 'node:path';
import { sqlMigration } from '@offizin/pg/migrate';
import { entities } from './entities';

/** In ascending order; docs/recipes.md#the-schema describes how to add one. */
const migrations = [sqlMigration(join(__dirname, '0001-schema.sql'))];

/** The schema that order-core owns; no other service reads it. */
export const SCHEMA = 'core';

export const orderCoreSchema = { schema: SCHEMA, entities, migrations };
