import { Schema0001 } from './0001-schema';

/** In ascending order; docs/changing-the-schema.md says how to add one. */
export const migrations = [Schema0001];
