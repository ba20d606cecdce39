import { Schema0001 } from './0001-schema';
import { AttemptTimes0002 } from './0002-attempt-times';
import { OutboxIntegrations0003 } from './0003-outbox-integrations';
import { Callbacks0004 } from './0004-callbacks';
import { SubscriptionsApart0005 } from './0005-subscriptions-apart';

/** In order of their numbers; docs/changing-the-schema.md says how to add one. */
export const migrations = [
  Schema0001,
  AttemptTimes0002,
  OutboxIntegrations0003,
  Callbacks0004,
  SubscriptionsApart0005,
];
