import { Schema0001 } from './0001-schema';

/** In order of their numbers; docs/changing-the-schema.md says how to add one. */
export const migrations = [Schema0001];
