import { randomBytes, randomUUID } from 'node:crypto';
import type { DocumentServer } from './document-server';
import { eventually } from './eventually';
import { http, type HttpAnswer, type HttpOptions, json } from './http';
import { orderRequest, type TestOrganization } from './organization';
import { makePdf } from './pdf';
import type { Needle } from './plain-search';
import { type TestPlatform, uniqueTag } from './platform';
import type { WebhookReceiver } from './webhook-receiver';

export interface CanaryPlaces {
  platform: TestPlatform;
  own: TestOrganization;
  receiver: WebhookReceiver;
  documents: DocumentServer;
  planted: Canaries;
}

/**
 * Planted texts. `hidden` texts must never appear in plain. `visible` texts appear in plain columns of the database
 * by design (customers and lines of orders, staff notes, webhook URLs), and nowhere else.
 */
export class Canaries {
  readonly hiddenText: Needle = { name: 'what is encrypted', text: `versiegelt${uniqueTag()}` };
  readonly visibleText: Needle = { name: 'what is kept in columns', text: `gespeichert${uniqueTag()}` };
  /** The number of a parcel is stored in capitals. */
  readonly parcelNumber: Needle = { name: 'a parcel number', text: this.visibleText.text.toUpperCase() };
  /** Credentials issued by the stack, as secret as the `hidden` texts. */
  readonly secrets: Needle[] = [];

  /** `what` identifies the text in a finding. */
  readonly hidden = (what: string): string => `${this.hiddenText.text}${what}`;
  readonly visible = (what: string): string => `${this.visibleText.text}${what}`;

  secret(name: string, text: string | undefined): string {
    if (!text || text.length < 16) throw new Error(`${name} is not a secret`);
    this.secrets.push({ name, text });
    return text;
  }
}

/** Sends each text through every input, output, callback and error path; resolves when all is processed. */
export async function placeCanaries(garden: CanaryPlaces): Promise<void> {
  await plantSecrets(garden);
  await plantOrderRequests(garden);
  await plantReviews(garden);
  await plantOrders(garden);
  await plantPrescriptions(garden);
  await plantRefusals(garden);
}

async function taken(what: string, answer: HttpAnswer): Promise<HttpAnswer> {
  if (answer.status >= 300) throw new Error(`${what} answered ${answer.status}: ${answer.body.toString()}`);
  return Promise.resolve(answer);
}

/** Sends twice with one Idempotency-Key: the second answer comes from the database. */
async function twice({ own }: CanaryPlaces, path: string, body: object): Promise<Record<string, string>> {
  const headers = { 'idempotency-key': randomUUID() };
  const first = await taken(path, await own.api('POST', path, body, headers));
  const second = await own.api('POST', path, body, headers);
  if (second.headers['idempotent-replayed'] !== 'true') throw new Error(`${path}: the answer was not kept`);
  return json<Record<string, string>>(first);
}

async function plantSecrets(garden: CanaryPlaces): Promise<void> {
  const { own, receiver, planted } = garden;
  const { visible, hidden } = planted;
  const url = `${receiver.url}?token=${visible('WebhookToken')}`;
  const webhook = await twice(garden, '/webhooks', { url, description: visible('WebhookDescription') });
  planted.secret('the secret of a webhook', webhook['secret']);
  const rotated = await twice(garden, `/webhooks/${webhook['id']}/rotate-secret`, {});
  planted.secret('the new secret of a webhook', rotated['secret']);
  for (const kind of ['int', 'org']) {
    const body = { name: 'till', kind, ...(kind === 'org' ? { scopes: ['orders.read'] } : {}) };
    const key = await twice(garden, '/api-keys', body);
    planted.secret(`an API key (${kind})`, key['api_key']);
    const next = await twice(garden, `/api-keys/${key['id']}/rotate`, { overlap_seconds: 60 });
    planted.secret(`a rotated API key (${kind})`, next['api_key']);
  }
  planted.secret('the key of the organization', own.apiKey.text);
  planted.secret('the key of the integration', own.integrationKey.text);
  planted.secret('the signature of a token', own.token.split('.')[2]);
  await own.exchange(hidden('NoKey'));
}

/** Every field of an order request. */
function fullPayload(planted: Canaries): Record<string, unknown> {
  const { hidden, visible } = planted;
  return {
    customer_name: visible('RequestName'),
    customer_email: `${hidden('RequestEmail')}@example.org`,
    customer_id: hidden('RequestCustomerId'),
    address_street: hidden('RequestStreet'),
    address_city: hidden('RequestCity'),
    address_postal_code: hidden('RequestPostalCode'),
    address_phone: hidden('RequestPhone'),
    payment_reference: hidden('RequestPayment'),
    items: [{ name: hidden('RequestItem'), quantity: 1, price: 9.5, dosage: hidden('Dosage') }],
    prescriber: { name: hidden('Prescriber'), street: hidden('Practice') },
    e_prescription: {
      task_id: '160.000.033.491.280.78',
      access_code: planted.secret('an access code', randomBytes(32).toString('hex')),
    },
    prescription_pdf_base64: makePdf(hidden('RequestPdf')).toString('base64'),
    questionnaire: { illnesses: [hidden('Answer')], [hidden('Question')]: true },
  };
}

async function plantOrderRequests({ own, documents, planted }: CanaryPlaces): Promise<void> {
  const { hidden } = planted;
  const id = await own.submit(orderRequest(fullPayload(planted)));
  await own.api('GET', `/order-requests/${id}`);
  await own.api('GET', `/order-requests/${id}/prescription.pdf`);
  await own.connector({ method: 'GET', tail: `/${id}` });
  documents.body = makePdf(hidden('FetchedPdf'));
  const asked = `${documents.url}/${hidden('Path')}.pdf?signature=${hidden('Signature')}`;
  await prescriptionBecomes(own, 'stored', asked);
  await prescriptionBecomes(own, 'failed', `https://localhost:1/${hidden('FailingPath')}`);
  const direct = orderRequest({ ...fullPayload(planted), shop_id: own.shops[1].shopId });
  await taken(
    'direct',
    await own.api('POST', '/order-requests', direct, { 'idempotency-key': randomUUID() }),
  );
}

async function prescriptionBecomes(own: TestOrganization, state: string, url: string): Promise<void> {
  const id = await own.submit(orderRequest({ prescription_pdf_url: url }));
  await eventually(
    `the prescription to be ${state}`,
    async () => {
      const answer = await own.api('GET', `/order-requests/${id}`);
      return json<{ prescription: { state: string } | null }>(answer).prescription?.state === state;
    },
    30_000,
  );
}

/** Order data is stored in plain columns; the questionnaire and the document stay encrypted. */
async function plantReviews({ own, planted }: CanaryPlaces): Promise<void> {
  const { visible, hidden } = planted;
  const asOrder = {
    ...orderColumns(planted),
    items: [{ name: visible('Item'), quantity: 1, price: 9.5 }],
    questionnaire: hidden('ApprovedAnswer'),
    prescription_pdf_base64: makePdf(hidden('ApprovedPdf')).toString('base64'),
  };
  const approved = await own.submit(orderRequest(asOrder));
  await taken('approve', await own.api('POST', `/order-requests/${approved}/approve`, {}));
  const rejected = await own.submit(orderRequest(fullPayload(planted)));
  const decision = { reason: 'other', note: visible('Note'), message: visible('Message') };
  await taken('reject', await own.api('POST', `/order-requests/${rejected}/reject`, decision));
  const reference = { external_reference: uniqueTag() };
  const asked = await own.submit(orderRequest(fullPayload(planted), reference));
  const question = { question: visible('Question') };
  await taken('ask', await own.api('POST', `/order-requests/${asked}/request-clarification`, question));
  const answered = { ...fullPayload(planted), answer: hidden('Clarification') };
  await own.submit(orderRequest(answered, reference));
  const offer = { version: 2, items: [{ name: hidden('OfferedItem'), qty: 1, price: 9.5 }], ...question };
  await taken('offer', await own.api('POST', `/order-requests/${asked}/offer`, offer));
  const message = { message: hidden('OfferAnswer') };
  await taken('accept', await own.connector({ tail: `/${asked}/offer/accept`, body: message }));
  await own.api('GET', `/order-requests/${asked}`);
}

function orderColumns({ visible }: Canaries): Record<string, unknown> {
  return {
    customer_name: visible('Name'),
    customer_email: `${visible('Email')}@example.org`,
    address_street: visible('Street'),
    address_city: visible('City'),
    address_postal_code: visible('PostalCode'),
    address_phone: visible('Phone'),
    payment_reference: visible('Payment'),
  };
}

async function plantOrders({ own, planted }: CanaryPlaces): Promise<void> {
  const { visible } = planted;
  const items = [{ name: visible('Line'), qty: 2, price: 4 }];
  const { id } = await own.createOrder({ ...orderColumns(planted), items });
  await taken('update', await own.api('PUT', `/orders/${id}`, { customer_name: visible('NewName') }));
  await taken('status', await own.api('PATCH', `/orders/${id}/status`, { status: 'shipped' }));
  const parcel = {
    tracking_number: planted.parcelNumber.text,
    url: `https://example.org/${visible('ParcelUrl')}`,
  };
  await taken('parcel', await own.api('POST', `/orders/${id}/parcels`, { carrier: 'other', ...parcel }));
  await taken('search', await own.api('GET', `/orders?q=${visible('Name')}`));
  await taken('history', await own.api('GET', `/orders/${id}/history`));
  const { status } = await own.api('GET', '/reports/top-customers');
  if (status >= 500) throw new Error(`the report answered ${status}`);
}

async function plantPrescriptions({ own, documents, planted }: CanaryPlaces): Promise<void> {
  const { hidden } = planted;
  const email = `${hidden('PatientEmail')}@example.org`;
  const body = (receipt: string): object => ({
    'Customer Email': email,
    'Customer First Name': hidden('FirstName'),
    'Customer Last Name': hidden('LastName'),
    'Receipt Pdf Base64': receipt,
    'Id Card Front Url': `https://example.org/${hidden('IdCard')}`,
    'External Id': uniqueTag(),
    'Shop Id': own.shops[0].shopId,
    'Questionnaire Indication': hidden('Indication'),
    'Product 1 Service Product Id': hidden('Product'),
    'Prescriber Name': hidden('IngestedPrescriber'),
    [hidden('FurtherKey')]: hidden('FurtherAnswer'),
  });
  documents.body = makePdf(hidden('FetchedReceipt'));
  for (const receipt of [
    makePdf(hidden('Receipt')).toString('base64'),
    `${documents.url}/${hidden('ReceiptPath')}`,
  ]) {
    const answer = await taken('ingest', await own.api('POST', '/prescriptions/ingest', body(receipt)));
    const path = `/prescriptions/${json<{ id: string }>(answer).id}`;
    await eventually('the receipt', async () => (await own.api('GET', `${path}/receipt.pdf`)).status === 200);
    await taken('read', await own.api('GET', path));
  }
  await taken('list', await own.api('GET', '/prescriptions'));
  const other = { email: `${hidden('Erased')}@example.org` };
  await taken('erase', await own.api('POST', '/customers/erase', other));
}

/** The same texts in invalid places: bodies, paths, queries, headers and credentials. */
export async function plantRefusals({ own, planted }: Pick<CanaryPlaces, 'own' | 'planted'>): Promise<void> {
  const { hidden } = planted;
  const wrong: (HttpOptions & { path: string; status: number[] })[] = [
    { path: '/orders', method: 'POST', body: { [hidden('UnknownKey')]: 1 }, status: [400] },
    { path: '/orders', method: 'POST', body: { customer_email: hidden('BadEmail') }, status: [400] },
    { path: '/orders', method: 'POST', body: `{"customer_name": "${hidden('Malformed')}`, status: [400] },
    {
      path: '/orders',
      method: 'POST',
      body: `{"shop_id": "${hidden('NoShop')}", "external_id": "x"}`,
      status: [400, 404],
    },
    { path: `/orders/${hidden('OrderId')}`, status: [404] },
    { path: `/prescriptions/${hidden('PrescriptionId')}/receipt.pdf`, status: [404] },
    { path: `/inventory/${hidden('ProductId')}/log`, status: [404] },
    { path: `/webhooks/${hidden('WebhookId')}`, status: [404] },
    { path: `/orders?status=${hidden('Status')}`, status: [400] },
    { path: `/orders?cursor=${hidden('Cursor')}`, status: [400] },
    { path: `/orders?${hidden('Filter')}=1`, status: [400] },
    { path: `/${hidden('Route')}`, status: [404] },
    { path: '/orders', headers: { authorization: `Bearer ${hidden('Bearer')}` }, status: [401] },
    {
      path: '/webhooks',
      method: 'POST',
      body: { url: `https://${hidden('User')}:x@example.org/` },
      status: [400],
    },
  ];
  for (const { path, status, headers, ...options } of wrong) {
    const url = `${own.urls.baseUrl}/api/v2/public/orgs/${own.orgId}${path}`;
    const type = { 'content-type': 'application/json', authorization: `Bearer ${own.token}` };
    const answer = await http(url, { ...options, headers: { ...type, ...headers } });
    if (!status.includes(answer.status)) throw new Error(`${path.slice(0, 12)} answered ${answer.status}`);
  }
  await own.connector({ body: orderRequest({ customer_name: [hidden('NameInList')] }) });
  await own.connector({ body: orderRequest(), key: hidden('WrongKey') });
  await own.connector({ method: 'GET', tail: `?external_reference=${hidden('Reference')}` });
}
