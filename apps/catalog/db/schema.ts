import { join } from 'node:path';
import { sqlMigration } from '@offizin/pg/migrate';
import { entities } from './entities';

/** Owned by the catalog's database role, which has access to no other schema. */
export const SCHEMA = 'catalog';

/** In ascending order; docs/recipes.md#the-schema describes how to add one. */
const migrations = [sqlMigration(join(__dirname, '0001-schema.sql'))];

export const catalogSchema = { schema: SCHEMA, entities, migrations };
