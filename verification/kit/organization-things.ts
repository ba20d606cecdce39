import { v7 as uuidv7 } from 'uuid';
import { eventually } from './eventually';
import { json } from './http';
import { orderRequest, type TestOrganization } from './organization';
import { makePdf } from './pdf';
import { type TestPlatform, uniqueTag } from './platform';
import type { WebhookReceiver } from './webhook-receiver';

const SHOWN_SOURCE = 'telemedicine-platform';

/** Where objects are created: an organization, its platform, and a server for its webhooks. */
export type Ids = Record<string, string>;

export interface OwnThings {
  platform: TestPlatform;
  organization: TestOrganization;
  receiverUrl: string;
}

/** One object of each kind of the organization; ids by path parameter. */
export async function thingsOf(made: OwnThings): Promise<Ids> {
  const { organization } = made;
  const shopId = organization.shops[0].shopId;
  const { webhookId = '' } = await newWebhook(made);
  const { p1Id = '' } = await attachedProduct(made);
  const { orderId = '', parcelId = '' } = await newParcel(made, { customer_name: 'Untouched' });
  const { holdId = '' } = await newLotHold(made);
  const { lot = '' } = await packedOrder(made);
  const prescription_pdf_base64 = makePdf().toString('base64');
  const reference = uniqueTag();
  const request = orderRequest({ prescription_pdf_base64 }, { external_reference: reference });
  const requestId = await organization.submit(request);
  const deliveryId = await eventually('a delivery', async () => {
    const list = await organization.api('GET', `/webhooks/${webhookId}/deliveries`);
    return json<{ data: { id: string }[] }>(list).data[0]?.id;
  });
  const prescription = { 'Customer Email': 'erika@example.org', 'Shop Id': shopId };
  const receipt = { 'Receipt Pdf Base64': prescription_pdf_base64 };
  const { id: prescriptionId } = await taken(made, '/prescriptions/ingest', { ...prescription, ...receipt });
  const keyId = organization.apiKey.id;
  const ids = { orderId, parcelId, holdId, lot, requestId, reference, p1Id, webhookId, deliveryId };
  return { ...ids, prescriptionId, keyId, shopId };
}

/** Ids of the same kinds without an object. */
export function unknownThings(): Ids {
  const kinds = [
    'orderId',
    'parcelId',
    'holdId',
    'requestId',
    'webhookId',
    'deliveryId',
    'prescriptionId',
    'keyId',
  ];
  const ids = Object.fromEntries([...kinds, 'shopId'].map((kind) => [kind, uuidv7()]));
  return { ...ids, p1Id: 'E2E-nobody-has-this', lot: 'E2E-NOBODY', reference: uniqueTag() };
}

export async function newOrder({ organization }: OwnThings): Promise<Ids> {
  return { orderId: (await organization.createOrder()).id };
}

export async function orderToPack({ organization }: OwnThings): Promise<Ids> {
  const items = [{ name: 'Salbe', qty: 2, price: 1 }];
  return { orderId: (await organization.createOrder({ items })).id };
}

/** Of a new order. */
export async function newParcel(made: OwnThings, order: object = {}): Promise<Ids> {
  const { id: orderId } = await made.organization.createOrder(order);
  const body = { carrier: 'ups', tracking_number: '1Z999AA10123456784' };
  return { orderId, parcelId: (await taken(made, `/orders/${orderId}/parcels`, body)).id };
}

export async function packedOrder(made: OwnThings): Promise<Ids> {
  const { orderId = '' } = await orderToPack(made);
  const lot = uniqueTag().slice(-20).toUpperCase();
  const lots = [{ line: 1, lot, quantity: 1 }];
  const answer = await made.organization.api('PUT', `/orders/${orderId}/lots`, { lots });
  if (answer.status !== 200) throw new Error(`the lots answered ${answer.status}`);
  return { orderId, lot };
}

export async function newLotHold(made: OwnThings): Promise<Ids> {
  const hold = { p1_id: uniqueTag(), lot: 'CH4699', reason: 'Recall' };
  return { holdId: (await taken(made, '/lots/holds', hold)).id };
}

/** With the source that the description shows; `sent` is its reference. */
export async function newRequest({ organization }: OwnThings): Promise<Ids> {
  const sent = uniqueTag();
  const envelope = { external_reference: sent, source: SHOWN_SOURCE };
  return { sent, requestId: await organization.submit(orderRequest({}, envelope)) };
}

/** Handed in by the organization itself. */
export async function directRequest(made: OwnThings): Promise<Ids> {
  const sent = uniqueTag();
  const envelope = { external_reference: sent, source: SHOWN_SOURCE };
  const request = orderRequest({ shop_id: made.organization.shops[0].shopId }, envelope);
  return { sent, requestId: (await taken(made, '/order-requests', request)).id };
}

export async function requestInQuestion(made: OwnThings): Promise<Ids> {
  const { requestId = '' } = await newRequest(made);
  await taken(made, `/order-requests/${requestId}/request-clarification`, { question: 'Which one?' });
  return { requestId };
}

/** Rejected, and the rejection is sealed in the audit log. */
export async function decidedRequest(made: OwnThings): Promise<Ids> {
  const { requestId = '' } = await newRequest(made);
  await taken(made, `/order-requests/${requestId}/reject`, { reason: 'other' });
  await eventually('the decision to be sealed', async () => {
    const proof = await made.organization.api('GET', `/order-requests/${requestId}/proof`);
    return proof.status === 200;
  });
  return { requestId };
}

/** For a new request: other lines than it has. */
export const OFFER = { version: 1, items: [{ name: 'Cream', qty: 1, price: 3.5 }] };

export async function requestWithOffer(made: OwnThings): Promise<Ids> {
  return offerFor(made, await newRequest(made));
}

/** Handed in by the organization itself. */
export async function directOffer(made: OwnThings): Promise<Ids> {
  return offerFor(made, await directRequest(made));
}

async function offerFor(made: OwnThings, { requestId = '' }: Ids): Promise<Ids> {
  await taken(made, `/order-requests/${requestId}/offer`, OFFER);
  return { requestId };
}

/** Its prescription URL has no listener. */
export async function requestWithFailedFetch({ organization }: OwnThings): Promise<Ids> {
  const prescription_pdf_url = 'https://127.0.0.1:9/prescription.pdf';
  const requestId = await organization.submit(orderRequest({ prescription_pdf_url }));
  await eventually('the fetch to fail', async () => {
    const answer = await organization.api('GET', `/order-requests/${requestId}`);
    return json<{ prescription: { state: string } | null }>(answer).prescription?.state === 'failed';
  });
  return { requestId };
}

export async function catalogProduct({ platform }: OwnThings): Promise<Ids> {
  const [p1Id = ''] = await platform.catalogProducts(1);
  return { p1Id };
}

export async function stockedProduct(made: OwnThings): Promise<Ids> {
  const { p1Id = '' } = await catalogProduct(made);
  await made.organization.stock(p1Id, 5);
  return { p1Id };
}

export async function attachedProduct(made: OwnThings): Promise<Ids> {
  const { p1Id = '' } = await stockedProduct(made);
  await taken(made, '/shops/attach-product', { shop_id: made.organization.shops[0].shopId, p1_id: p1Id });
  return { p1Id };
}

export async function newWebhook(made: OwnThings): Promise<Ids> {
  return { webhookId: (await taken(made, '/webhooks', { url: made.receiverUrl })).id };
}

/** Made after an event that it therefore missed, since that time. */
export async function webhookThatMissed(made: OwnThings): Promise<Ids> {
  const { organization } = made;
  const since = new Date(Date.now() - 60_000).toISOString();
  const { id } = await organization.createOrder();
  await eventually('the event that the webhook then misses', async () =>
    (await organization.api('GET', '/events?limit=200')).body.toString().includes(id),
  );
  return { ...(await newWebhook(made)), since };
}

/** Of the organization's integration key at its first shop. */
export async function newCallback({ organization, receiverUrl }: OwnThings): Promise<Ids> {
  const answer = await organization.callback('PUT', { url: receiverUrl });
  if (answer.status !== 200) throw new Error(`the callback answered ${answer.status}`);
  return {};
}

/** Of a shop that the organization may make itself. */
export function newDomain({ organization }: OwnThings): Promise<Ids> {
  return Promise.resolve({ fresh: `test-${uniqueTag()}.${organization.shops[0].domain}` });
}

export async function newApiKey({ platform, organization }: OwnThings): Promise<Ids> {
  const { id: keyId } = await platform.apiKey(organization.orgId, { kind: 'org', scopes: ['orders.read'] });
  return { keyId };
}

async function taken({ organization }: OwnThings, path: string, body: object): Promise<{ id: string }> {
  const answer = await organization.api('POST', path, body);
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.body.toString()}`);
  return json(answer);
}

/** An order with stock, and two subscriptions: its event arrives at one URL; the other refuses the connection. */
export async function workForEveryProcess(
  platform: TestPlatform,
  organization: TestOrganization,
  receiver: WebhookReceiver,
): Promise<void> {
  const [p1Id = ''] = await platform.catalogProducts(1);
  await organization.api('POST', '/webhooks', { url: receiver.url });
  const nobody = receiver.url.replace(/:\d+\//, ':1/');
  await organization.api('POST', '/webhooks', { url: nobody });
  await organization.stock(p1Id, 5);
  const { id } = await organization.createOrder();
  await receiver.waitFor((event) => event.metadata['order_id'] === id);
}
