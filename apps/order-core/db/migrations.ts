import { Schema0001 } from './0001-schema';
import { OrderNotes0004 } from './0004-order-notes';

/** In ascending order; docs/changing-the-schema.md says how to add one. */
export const migrations = [Schema0001, OrderNotes0004];
