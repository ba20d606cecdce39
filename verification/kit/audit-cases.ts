import type { Operation } from '@offizin/contracts/calls/operation';
import { eventually } from './eventually';
import { type HttpAnswer, json } from './http';
import { callOperation, rowOf } from './operation-call';
import type { Ids, OwnThings } from './organization-things';
import { uniqueTag } from './platform';

/**
 * The audit entry of a successful call. The object is a pattern, or a text: `{id}` is the id in the reply, other names are
 * ids of the call.
 */
type AuditRow = readonly [action: string, object: string | RegExp];
type AuditRows = Readonly<Record<string, AuditRow>>;

/** By the name of the operation that changes data. */
export const auditedChanges: AuditRows = {
  'orders.upsert': ['order.create', 'order:{id}'],
  'orders.update': ['order.update', 'order:{orderId}'],
  'orders.patch-status': ['order.status', 'order:{orderId}'],
  'orders.add-parcel': ['order.add-parcel', 'order:{orderId}'],
  'orders.remove-parcel': ['order.remove-parcel', 'order:{orderId}'],
  'orders.set-lots': ['order.set-lots', 'order:{orderId}'],
  'lots.hold': ['lot.hold', 'lot-hold:{id}'],
  'lots.mark-told': ['lot.told', 'order:{orderId}'],
  'lots.lift-hold': ['lot.lift-hold', 'lot-hold:{holdId}'],
  'orders.upsert-batch': ['order.create', 'order:{id}'],
  'orders.patch-status-batch': ['order.status', 'order:{orderId}'],
  'order-requests.submit': ['order-request.submit', 'order-request:{id}'],
  'order-requests.submit-external': ['order-request.submit', 'order-request:{id}'],
  'order-requests.replace': ['order-request.replace', 'order-request:{requestId}'],
  'order-requests.add-document': ['order-request.add-document', 'order-request:{requestId}'],
  'order-requests.cancel': ['order-request.cancel', 'order-request:{requestId}'],
  'order-requests.replace-external': ['order-request.replace', 'order-request:{requestId}'],
  'order-requests.add-document-external': ['order-request.add-document', 'order-request:{requestId}'],
  'order-requests.accept-offer-external': ['order-request.accept-offer', 'order-request:{requestId}'],
  'order-requests.decline-offer-external': ['order-request.decline-offer', 'order-request:{requestId}'],
  'order-requests.cancel-external': ['order-request.cancel', 'order-request:{requestId}'],
  'callback.set-external': ['callback.set', 'callback:{integrationId}:{shopId}'],
  'callback.delete-external': ['callback.delete', 'callback:{integrationId}:{shopId}'],
  'certification.restart-external': ['certification.restart', 'certification:{integrationId}:{shopId}'],
  'order-requests.approve': ['order-request.approve', 'order-request:{requestId}'],
  'order-requests.reject': ['order-request.reject', 'order-request:{requestId}'],
  'order-requests.request-clarification': [
    'order-request.request-clarification',
    'order-request:{requestId}',
  ],
  'order-requests.withdraw-clarification': [
    'order-request.withdraw-clarification',
    'order-request:{requestId}',
  ],
  'order-requests.offer': ['order-request.offer', 'order-request:{requestId}'],
  'order-requests.accept-offer': ['order-request.accept-offer', 'order-request:{requestId}'],
  'order-requests.decline-offer': ['order-request.decline-offer', 'order-request:{requestId}'],
  'order-requests.retry-fetch': ['order-request.retry-fetch', 'order-request:{requestId}'],
  'prescriptions.ingest': ['prescription.create', 'prescription:{id}'],
  'customers.erase': ['customer.erase', /^customer:[0-9a-f]{64}$/],
  'products.add-to-inventory': ['inventory.add', 'product:{p1Id}'],
  'inventory.adjust': ['inventory.adjust', 'product:{p1Id}'],
  'inventory.adjust-batch': ['inventory.adjust', 'product:{p1Id}'],
  'products.update': ['product.update', 'product:{p1Id}'],
  'products.attach': ['product.attach', 'shop-product:{shopId}:{p1Id}'],
  'products.overrides': ['product.override', 'shop-product:{shopId}:{p1Id}'],
  'products.detach': ['product.detach', 'shop-product:{shopId}:{p1Id}'],
  'webhooks.create': ['webhook.create', 'webhook:{id}'],
  'webhooks.update': ['webhook.update', 'webhook:{webhookId}'],
  'webhooks.delete': ['webhook.delete', 'webhook:{webhookId}'],
  'webhooks.rotate-secret': ['webhook.rotate-secret', 'webhook:{webhookId}'],
  'webhooks.test': ['webhook.test', 'webhook:{webhookId}'],
  'webhooks.recover': ['webhook.recover', 'webhook:{webhookId}'],
  'webhook-deliveries.redeliver': ['webhook.redeliver', 'webhook-delivery:{deliveryId}'],
  'api-keys.create': ['api-key.create', 'api-key:{id}'],
  'api-keys.revoke': ['api-key.revoke', 'api-key:{keyId}'],
  'api-keys.rotate': ['api-key.rotate', 'api-key:{keyId}'],
  'settings.set-workflow': ['workflow.set', 'organization:{orgId}'],
  'settings.set-stock': ['stock-settings.set', 'organization:{orgId}'],
  'settings.create-test-shop': ['shop.create', /^shop:[0-9a-f-]{36}$/],
  'settings.update-shop': ['shop.update', 'shop:{shopId}'],
};

/** Operations that show the content of a prescription. */
export const auditedReads: AuditRows = {
  'order-requests.get': ['order-request.read', 'order-request:{requestId}:version:1'],
  'order-requests.document': ['prescription.read', 'order-request:{requestId}:document:1:version:1'],
  'order-requests.prescription': ['prescription.read', 'order-request:{requestId}:document:1:version:1'],
  'order-requests.proof': ['order-request.prove', /^order-request:[0-9a-f-]{36}:proof:[0-9a-f]{64}$/],
  'prescriptions.list': ['prescription.list', /^prescriptions:[1-9]\d*$/],
  'prescriptions.get': ['prescription.read', 'prescription:{prescriptionId}:version:1'],
  'prescriptions.receipt': [
    'prescription.read-receipt',
    'prescription:{prescriptionId}:document:1:version:1',
  ],
};

export interface AuditedCall {
  /** Sends the same call each time. */
  send: (headers: Record<string, string>) => Promise<HttpAnswer>;
  entryOf: (answer: HttpAnswer) => { action: string; object: string | RegExp };
}

/** The valid call of the operation's row, on `things` and what it prepares itself. */
export async function auditedCall(op: Operation, made: OwnThings, things: Ids): Promise<AuditedCall> {
  const row = auditedChanges[op.name] ?? auditedReads[op.name];
  if (!row)
    throw new Error(`${op.name}: say in verification/kit/audit-cases.ts what it leaves in the audit log`);
  const [action, object] = row;
  const { organization } = made;
  const { orgId, integrationKey } = organization;
  const prepared = { ...things, fresh: uniqueTag(), ...(await rowOf(op).prepare?.(made)) };
  const ids: Ids = { ...prepared, orgId, integrationId: integrationKey.id };
  const idIn = (answer: HttpAnswer): string => {
    const { id, results } = json<{ id?: string; results?: { order_id: string }[] }>(answer);
    return id ?? results?.[0]?.order_id ?? '';
  };
  return {
    send: (headers) => callOperation(op, organization, { ids, headers }),
    entryOf: (answer) =>
      object instanceof RegExp
        ? { action, object }
        : {
            action,
            object: object.replace(/\{(\w+)\}/g, (_, name: string) =>
              name === 'id' ? idIn(answer) : (ids[name] ?? ''),
            ),
          },
  };
}

/**
 * When it resolves, all that the services had recorded before is in the audit log: each relay keeps to its order.
 * `entered` counts the entries of a request.
 */
export async function everythingEntered(
  { organization }: OwnThings,
  { p1Id = '', webhookId = '' }: Ids,
  entered: (requestId: string) => Promise<number>,
): Promise<void> {
  const adjustment = { p1_id: p1Id, delta: 1, reason: 'received' };
  for (let round = 0; round < 2; round++) {
    const headers = { 'x-request-id': `barrier-${uniqueTag()}` };
    await organization.api('POST', '/inventory/adjust', adjustment, headers);
    await organization.api('POST', `/webhooks/${webhookId}/test`, {}, headers);
    await eventually('both entries', async () => (await entered(headers['x-request-id'])) === 2);
  }
}
