import { eventually } from './eventually';
import { type HttpAnswer, json } from './http';
import { orderRequest, type TestOrganization } from './organization';
import { makePdf } from './pdf';
import { type TestPlatform, uniqueTag } from './platform';
import type { WebhookReceiver } from './webhook-receiver';

/**
 * A successful call for every operation that changes data or shows a prescription, and its expected audit entry.
 */
interface AuditedStep {
  action: string;
  /** Exact text or pattern. */
  object: string | RegExp;
  answer: HttpAnswer;
}
/** Prepares its data, then makes the one audited call with these headers. */
export type AuditCase = (world: AuditWorld, headers: Record<string, string>) => Promise<AuditedStep>;
/** By operation name. */
export type AuditCases = Record<string, AuditCase>;

/** A call that creates an object and returns its id. */
async function creates(action: string, noun: string, sending: Promise<HttpAnswer>): Promise<AuditedStep> {
  const answer = await sending;
  return { action, object: `${noun}:${json<{ id: string }>(answer).id}`, answer };
}

/** One review step of a submitted order request. */
async function review(
  world: AuditWorld,
  headers: Record<string, string>,
  verb: string,
  body: object,
  id: string,
): Promise<AuditedStep> {
  const answer = await world.own.api('POST', `/order-requests/${id}/${verb}`, body, headers);
  return { action: `order-request.${verb}`, object: `order-request:${id}`, answer };
}

/** Of the organization's integration key at its first shop. */
function callbackOf({ integrationKey, shops }: AuditWorld['own']): string {
  return `callback:${integrationKey.id}:${shops[0].shopId}`;
}

const orderStories: AuditCases = {
  'orders.upsert': (world, headers) => {
    const body = { shop_id: world.own.shops[0].shopId, external_id: uniqueTag() };
    return creates('order.create', 'order', world.own.api('POST', '/orders', body, headers));
  },
  'orders.update': async (world, headers) => {
    const { id } = await world.own.createOrder();
    return creates(
      'order.update',
      'order',
      world.own.api('PUT', `/orders/${id}`, { customer_name: 'Erika' }, headers),
    );
  },
  'orders.patch-status': async (world, headers) => {
    const { id } = await world.own.createOrder();
    const answer = await world.own.api('PATCH', `/orders/${id}/status`, { status: 'shipped' }, headers);
    return { action: 'order.status', object: `order:${id}`, answer };
  },
  'orders.upsert-batch': async (world, headers) => {
    const member = { shop_id: world.own.shops[0].shopId, external_id: uniqueTag() };
    const answer = await world.own.api('POST', '/orders/batch', { orders: [member] }, headers);
    const [{ order_id: id }] = json<{ results: [{ order_id: string }] }>(answer).results;
    return { action: 'order.create', object: `order:${id}`, answer };
  },
  'orders.patch-status-batch': async (world, headers) => {
    const { id } = await world.own.createOrder();
    const body = { patches: [{ order_id: id, status: 'shipped' }] };
    const answer = await world.own.api('POST', '/orders/status/batch', body, headers);
    return { action: 'order.status', object: `order:${id}`, answer };
  },
  'order-requests.submit': (world, headers) => {
    const body = orderRequest({ shop_id: world.own.shops[0].shopId });
    return creates(
      'order-request.submit',
      'order-request',
      world.own.api('POST', '/order-requests', body, headers),
    );
  },
  'order-requests.submit-external': (world, headers) =>
    creates('order-request.submit', 'order-request', world.own.connector({ body: orderRequest(), headers })),
  'callback.set-external': async ({ own, receiver }, headers) => {
    const answer = await own.callback('PUT', { url: receiver.url }, { headers });
    return { action: 'callback.set', object: callbackOf(own), answer };
  },
  'callback.delete-external': async ({ own, receiver }, headers) => {
    await own.callback('PUT', { url: receiver.url });
    const answer = await own.callback('DELETE', undefined, { headers });
    return { action: 'callback.delete', object: callbackOf(own), answer };
  },
  'order-requests.approve': async (world, headers) =>
    review(world, headers, 'approve', {}, await submitted(world)),
  'order-requests.reject': async (world, headers) =>
    review(world, headers, 'reject', { reason: 'other' }, await submitted(world)),
  'order-requests.request-clarification': async (world, headers) =>
    review(world, headers, 'request-clarification', { question: 'Which one?' }, await submitted(world)),
  'order-requests.withdraw-clarification': async (world, headers) => {
    const id = await submitted(world);
    await world.own.api('POST', `/order-requests/${id}/request-clarification`, { question: 'Which one?' });
    return review(world, headers, 'withdraw-clarification', {}, id);
  },
  'order-requests.retry-fetch': async (world, headers) =>
    review(world, headers, 'retry-fetch', {}, await failedFetch(world)),
  'prescriptions.ingest': (world, headers) => {
    const body = {
      'Customer Email': EMAIL,
      'Shop Id': world.own.shops[0].shopId,
      'External Id': uniqueTag(),
    };
    const sending = world.own.api('POST', '/prescriptions/ingest', body, headers);
    return creates('prescription.create', 'prescription', sending);
  },
  'customers.erase': async (world, headers) => {
    const answer = await world.own.api('POST', '/customers/erase', { email: 'nobody@example.org' }, headers);
    return { action: 'customer.erase', object: /^customer:[0-9a-f]{64}$/, answer };
  },
};

const catalogStories: AuditCases = {
  'products.add-to-inventory': async (world, headers) => {
    const [p1_id = ''] = await world.platform.catalogProducts(1);
    const answer = await world.own.api(
      'POST',
      '/products/add-to-inventory',
      { p1_id, initial_stock: 3 },
      headers,
    );
    return { action: 'inventory.add', object: `product:${p1_id}`, answer };
  },
  'inventory.adjust': async (world, headers) => {
    const p1_id = await stocked(world);
    const body = { p1_id, delta: 2, reason: 'received' };
    const answer = await world.own.api('POST', '/inventory/adjust', body, headers);
    return { action: 'inventory.adjust', object: `product:${p1_id}`, answer };
  },
  'inventory.adjust-batch': async (world, headers) => {
    const p1_id = await stocked(world);
    const body = { adjustments: [{ p1_id, delta: 2, reason: 'received' }] };
    const answer = await world.own.api('POST', '/inventory/adjust/batch', body, headers);
    return { action: 'inventory.adjust', object: `product:${p1_id}`, answer };
  },
  'products.update': async (world, headers) => {
    const p1_id = await stocked(world);
    const answer = await world.own.api('PUT', `/products/${p1_id}`, { price: 3.5 }, headers);
    return { action: 'product.update', object: `product:${p1_id}`, answer };
  },
  'products.attach': async (world, headers) => {
    const about = { shop_id: world.own.shops[0].shopId, p1_id: await stocked(world) };
    const answer = await world.own.api('POST', '/shops/attach-product', about, headers);
    return { action: 'product.attach', object: `shop-product:${about.shop_id}:${about.p1_id}`, answer };
  },
  'products.overrides': async (world, headers) => {
    const { object, ...about } = await attached(world);
    const body = { ...about, overrides: { price: 2.5 } };
    const answer = await world.own.api('POST', '/shops/product-overrides', body, headers);
    return { action: 'product.override', object, answer };
  },
  'products.detach': async (world, headers) => {
    const { object, ...about } = await attached(world);
    return {
      action: 'product.detach',
      object,
      answer: await world.own.api('POST', '/shops/detach-product', about, headers),
    };
  },
};

const webhookStories: AuditCases = {
  'webhooks.create': (world, headers) =>
    creates(
      'webhook.create',
      'webhook',
      world.own.api('POST', '/webhooks', { url: world.receiver.url }, headers),
    ),
  'webhooks.update': async (world, headers) => {
    const sending = world.own.api(
      'PUT',
      `/webhooks/${await webhook(world)}`,
      { description: 'ERP' },
      headers,
    );
    return creates('webhook.update', 'webhook', sending);
  },
  'webhooks.delete': async (world, headers) => {
    const id = await webhook(world);
    const answer = await world.own.api('DELETE', `/webhooks/${id}`, undefined, headers);
    return { action: 'webhook.delete', object: `webhook:${id}`, answer };
  },
  'webhooks.rotate-secret': async (world, headers) => {
    const sending = world.own.api('POST', `/webhooks/${await webhook(world)}/rotate-secret`, {}, headers);
    return creates('webhook.rotate-secret', 'webhook', sending);
  },
  'webhooks.test': async (world, headers) => {
    const id = await webhook(world);
    const answer = await world.own.api('POST', `/webhooks/${id}/test`, {}, headers);
    return { action: 'webhook.test', object: `webhook:${id}`, answer };
  },
  'webhooks.recover': async (world, headers) => {
    const since = new Date(Date.now() - 60_000).toISOString();
    const { id: order } = await world.own.createOrder();
    await eventually('the event that the webhook then missed', async () =>
      (await world.own.api('GET', '/events?limit=200')).body.toString().includes(order),
    );
    const id = await webhook(world);
    const answer = await world.own.api('POST', `/webhooks/${id}/recover`, { since }, headers);
    if (json<{ scheduled: number }>(answer).scheduled === 0) throw new Error('nothing was there to recover');
    return { action: 'webhook.recover', object: `webhook:${id}`, answer };
  },
  'webhook-deliveries.redeliver': async (world, headers) => {
    const id = await webhook(world);
    await world.own.api('POST', `/webhooks/${id}/test`, {});
    const delivery = await eventually('a delivery', async () => {
      const list = await world.own.api('GET', `/webhooks/${id}/deliveries`);
      return json<{ data: { id: string }[] }>(list).data[0]?.id;
    });
    const answer = await world.own.api('POST', `/webhook-deliveries/${delivery}/redeliver`, {}, headers);
    return { action: 'webhook.redeliver', object: `webhook-delivery:${delivery}`, answer };
  },
};

const settingsStories: AuditCases = {
  'api-keys.create': (world, headers) => {
    const body = { name: 'x', kind: 'int' };
    return creates('api-key.create', 'api-key', world.own.api('POST', '/api-keys', body, headers));
  },
  'api-keys.revoke': async (world, headers) => {
    const id = await made(world, '/api-keys', { name: 'x', kind: 'int' });
    const answer = await world.own.api('DELETE', `/api-keys/${id}`, undefined, headers);
    return { action: 'api-key.revoke', object: `api-key:${id}`, answer };
  },
  'api-keys.rotate': async (world, headers) => {
    const id = await made(world, '/api-keys', { name: 'x', kind: 'int' });
    const answer = await world.own.api('POST', `/api-keys/${id}/rotate`, { overlap_seconds: 0 }, headers);
    return { action: 'api-key.rotate', object: `api-key:${id}`, answer };
  },
  'settings.set-workflow': async (world, headers) => {
    const answer = await world.own.api('PUT', '/settings/workflow', { mode: 'default' }, headers);
    return { action: 'workflow.set', object: `organization:${world.own.orgId}`, answer };
  },
  'settings.set-stock': async (world, headers) => {
    const answer = await world.own.api('PUT', '/settings/stock', { stock_follows_orders: true }, headers);
    return { action: 'stock-settings.set', object: `organization:${world.own.orgId}`, answer };
  },
  'settings.update-shop': async (world, headers) => {
    const id = world.own.shops[1].shopId;
    const answer = await world.own.api('PUT', `/shops/${id}`, { name: 'Filiale' }, headers);
    return { action: 'shop.update', object: `shop:${id}`, answer };
  },
};

export const auditedChanges: AuditCases = {
  ...orderStories,
  ...catalogStories,
  ...webhookStories,
  ...settingsStories,
};

/** Operations that show the content of a prescription. */
export const auditedReads: AuditCases = {
  'order-requests.get': async (world, headers) => {
    const id = await submitted(world);
    const answer = await world.own.api('GET', `/order-requests/${id}`, undefined, headers);
    return { action: 'order-request.read', object: `order-request:${id}`, answer };
  },
  'order-requests.prescription': async (world, headers) => {
    const id = await submitted(world, { prescription_pdf_base64: PDF });
    const answer = await world.own.api('GET', `/order-requests/${id}/prescription.pdf`, undefined, headers);
    return { action: 'prescription.read', object: `order-request:${id}`, answer };
  },
  'prescriptions.list': async (world, headers) => {
    await ingested(world);
    const answer = await world.own.api('GET', '/prescriptions?limit=1', undefined, headers);
    return { action: 'prescription.list', object: 'prescriptions:1', answer };
  },
  'prescriptions.get': async (world, headers) => {
    const id = await ingested(world);
    const answer = await world.own.api('GET', `/prescriptions/${id}`, undefined, headers);
    return { action: 'prescription.read', object: `prescription:${id}`, answer };
  },
  'prescriptions.receipt': async (world, headers) => {
    const id = await ingested(world);
    const answer = await world.own.api('GET', `/prescriptions/${id}/receipt.pdf`, undefined, headers);
    return { action: 'prescription.read-receipt', object: `prescription:${id}`, answer };
  },
};

/** Environment of audited calls, and the objects that they need. */
export interface AuditWorld {
  platform: TestPlatform;
  own: TestOrganization;
  receiver: WebhookReceiver;
}

const PDF = makePdf().toString('base64');
const EMAIL = `${uniqueTag()}@example.org`;

export async function made(world: AuditWorld, path: string, body: object): Promise<string> {
  const answer = await world.own.api('POST', path, body);
  if (answer.status > 201) throw new Error(`${path} answered ${answer.status}: ${answer.body.toString()}`);
  return json<{ id: string }>(answer).id;
}

export async function submitted(world: AuditWorld, payload: object = {}): Promise<string> {
  return world.own.submit(orderRequest({ customer_email: EMAIL, ...payload }));
}

export async function stocked(world: AuditWorld): Promise<string> {
  const [p1Id = ''] = await world.platform.catalogProducts(1);
  await world.own.stock(p1Id, 5);
  return p1Id;
}

export async function attached(
  world: AuditWorld,
): Promise<{ shop_id: string; p1_id: string; object: string }> {
  const about = { shop_id: world.own.shops[0].shopId, p1_id: await stocked(world) };
  const { status } = await world.own.api('POST', '/shops/attach-product', about);
  if (status !== 201) throw new Error(`attach-product answered ${status}`);
  return { ...about, object: `shop-product:${about.shop_id}:${about.p1_id}` };
}

export const webhook = (world: AuditWorld): Promise<string> =>
  made(world, '/webhooks', { url: world.receiver.url });
export const ingested = (world: AuditWorld): Promise<string> => {
  const about = { 'Customer Email': EMAIL, 'Shop Id': world.own.shops[0].shopId };
  return made(world, '/prescriptions/ingest', {
    ...about,
    'External Id': uniqueTag(),
    'Receipt Pdf Base64': PDF,
  });
};

/** A request whose prescription cannot be fetched. */
async function failedFetch(world: AuditWorld): Promise<string> {
  const id = await submitted(world, { prescription_pdf_url: 'https://localhost:1/prescription.pdf' });
  await eventually(
    'the fetch to have failed',
    async () => {
      const detail = json<{ prescription: { state: string } | null }>(
        await world.own.api('GET', `/order-requests/${id}`),
      );
      return detail.prescription?.state === 'failed';
    },
    30_000,
  );
  return id;
}
