import { Schema0001 } from './0001-schema';
import { OutboxIntegrations0002 } from './0002-outbox-integrations';

/** In order of their numbers; docs/changing-the-schema.md says how to add one. */
export const migrations = [Schema0001, OutboxIntegrations0002];
