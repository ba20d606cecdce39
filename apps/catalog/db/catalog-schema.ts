import { entities } from './entities';
import { migrations } from './migrations';
import { SCHEMA } from './schema';

/** What the data source needs to know of the schema that the catalog owns. */
export const catalogSchema = { schema: SCHEMA, entities, migrations };
