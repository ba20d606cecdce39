import type { Caller } from './caller';
import { type Operation, type ServiceName, subjectOf } from './operation';

/** Every process that signs calls: the five apps and the operator's command line. */
export const SENDERS = [
  'gateway',
  'connector-edge',
  'order-core',
  'catalog',
  'webhook-worker',
  'operator',
] as const;
export type Sender = (typeof SENDERS)[number];

/**
 * Which apps send which internal operation; the operator may send all. The services refuse every other sender, and
 * tools/deploy compares deploy/nats/permissions.conf with this table.
 */
export const internalSenders: Readonly<Record<string, readonly Sender[]>> = {
  'rpc.order-core.directory.create-organization': [],
  'rpc.order-core.directory.create-shop': [],
  'rpc.order-core.directory.create-key': [],
  'rpc.order-core.directory.list-organizations': [],
  'rpc.order-core.history.import': [],
  'rpc.order-core.directory.keys-used': ['gateway', 'connector-edge'],
  'rpc.order-core.sessions.find': ['gateway'],
  'rpc.order-core.sessions.used': ['gateway'],
  'rpc.order-core.proof-keys.list': ['gateway'],
  'rpc.order-core.sign-ons.begin': ['gateway'],
  'rpc.order-core.sign-ons.finish': ['gateway'],
  'rpc.order-core.staff-operator.invite': [],
  'rpc.order-core.staff-operator.list': [],
  'rpc.order-core.staff-operator.switch-off': [],
  'rpc.order-core.staff-operator.sign-out': [],
  'rpc.order-core.staff-operator.remove-second-factor': [],
  'rpc.order-core.order-requests.settle-attempt': ['catalog'],
  'rpc.order-core.settings.four-eyes': ['catalog'],
  'rpc.order-core.order-requests.read-for-callback': ['webhook-worker'],
  'rpc.order-core.certification.observe-delivery': ['webhook-worker'],
  'rpc.order-core.events.unknown': ['catalog', 'webhook-worker'],
  'rpc.catalog.catalog.import': [],
  'rpc.catalog.reservations.reserve': ['order-core'],
  'rpc.catalog.reservations.release': ['order-core'],
  'rpc.catalog.products.for-review': ['order-core'],
  'rpc.catalog.products.find': ['order-core'],
  'rpc.catalog.products.list-for-partner': ['order-core'],
  'rpc.catalog.stock.page': ['order-core'],
  'rpc.catalog.events.unknown': ['order-core'],
  'rpc.webhook-worker.callbacks.store': ['order-core'],
  'rpc.webhook-worker.callbacks.find': ['order-core'],
  'rpc.webhook-worker.callbacks.remove': ['order-core'],
  'rpc.webhook-worker.events.unknown': ['order-core', 'catalog'],
};

/** The services that a sender calls, over the bus or over HTTP. Each pair has separate keys. */
export const receiversOf: Readonly<Record<Sender, readonly ServiceName[]>> = {
  gateway: ['order-core', 'catalog', 'webhook-worker'],
  'connector-edge': ['order-core'],
  'order-core': ['catalog', 'webhook-worker'],
  catalog: ['order-core', 'webhook-worker'],
  'webhook-worker': ['order-core'],
  operator: ['order-core', 'catalog', 'webhook-worker'],
};

/**
 * Whether `sender` may call the operation as `caller`. The signature proves the sender, not the caller: without
 * this check, every process could call on behalf of every organization.
 */
export function mayAsk(sender: Sender, op: Operation, caller: Pick<Caller, 'kind' | 'actorId'>): boolean {
  const { kind } = caller;
  if (sender === 'operator') return kind === 'platform';
  if (op.access === 'internal')
    return (
      kind === 'service' &&
      caller.actorId === sender &&
      internalSenders[subjectOf(op)]?.includes(sender) === true
    );
  if (op.access === 'connector') return sender === 'connector-edge' && kind === 'integration';
  if (sender !== 'gateway') return false;
  // Signing in: there is no person yet.
  if (op.access === 'anyone' && op.consoleOnly) return kind === 'service' && caller.actorId === sender;
  return kind === 'staff' || (kind === 'key' && !op.consoleOnly);
}
