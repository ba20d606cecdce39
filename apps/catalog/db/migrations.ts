import { CreateTables1763000000000 } from './create-tables-migration';

/** In the order in which they run. */
export const migrations = [CreateTables1763000000000];
