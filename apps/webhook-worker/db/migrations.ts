import { Schema0001 } from './0001-schema';
import { AttemptTimes0002 } from './0002-attempt-times';

/** In order of their numbers; docs/changing-the-schema.md says how to add one. */
export const migrations = [Schema0001, AttemptTimes0002];
