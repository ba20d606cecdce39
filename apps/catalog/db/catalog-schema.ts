import { entities } from './entities';
import { migrations } from './migrations';
import { SCHEMA } from './schema';

export const catalogSchema = { schema: SCHEMA, entities, migrations };
