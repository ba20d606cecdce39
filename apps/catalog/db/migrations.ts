import { join } from 'node:path';
import { sqlMigration } from '@offizin/pg/migrate';

/** In ascending order; docs/changing-the-schema.md says how to add one. */
export const migrations = [sqlMigration(join(__dirname, '0001-schema.sql'))];
