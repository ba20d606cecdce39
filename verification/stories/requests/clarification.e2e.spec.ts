import type { OrderRequestDetail } from '@offizin/contracts/requests/order-request-review';
import type { OrderRequestProgress, OrderRequestResponse } from '@offizin/contracts/requests/order-requests';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/** The pharmacist asks, the partner reads the question and completes its request, the pharmacist approves it. */
const platform = usePlatform();
let organization: TestOrganization;

beforeAll(async () => {
  organization = await platform.organization();
});

const INCOMPLETE = orderRequest({ address_city: null }).payload;
const COMPLETE = orderRequest({ address_city: 'Berlin', address_postal_code: '10115' }).payload;

function decide(id: string, action: string, body: object = {}): Promise<HttpAnswer> {
  return organization.api('POST', `/order-requests/${id}/${action}`, body);
}

async function detail(id: string): Promise<OrderRequestDetail> {
  const answer = await organization.api('GET', `/order-requests/${id}`);
  expect(answer.status).toBe(200);
  return json(answer);
}

/** Hands the request in under a reference, and asks about it. */
async function questioned(payload: object = INCOMPLETE) {
  const external_reference = `clarification-${uniqueTag()}`;
  const send = (content: object) =>
    organization.connector({ body: { source: 'telemedicine', external_reference, payload: content } });
  const { id } = json<OrderRequestResponse>(await send(payload));
  const answer = await decide(id, 'request-clarification', { question: 'Where does it go to?' });
  expect(answer.status).toBe(200);
  return { id, external_reference, send };
}

it('a question reaches the partner, and its answer the pharmacist', async () => {
  const { id, external_reference, send } = await questioned();
  const tail = `?external_reference=${external_reference}`;
  const asked = json<OrderRequestProgress>(await organization.connector({ method: 'GET', tail }));
  expect(asked).toMatchObject({ id, status: 'needs_clarification', question: 'Where does it go to?' });
  expect(asked.message).toContain('same external_reference');
  const repeat = await send(INCOMPLETE);
  expect(json(repeat)).toMatchObject({ id, status: 'needs_clarification' });

  const answer = await send(COMPLETE);
  expect({ status: answer.status, body: json(answer) }).toMatchObject({
    status: 200,
    body: { id, status: 'pending', external_reference },
  });
  const answered = json<OrderRequestProgress>(await organization.connector({ method: 'GET', tail }));
  expect(answered).toMatchObject({ status: 'pending', question: null });

  const { payload, version, versions, question } = await detail(id);
  expect({ payload, version, question }).toEqual({ payload: COMPLETE, version: 2, question: null });
  expect(versions).toEqual([
    {
      number: 1,
      created_at: expect.any(String),
      payload: INCOMPLETE,
      question: 'Where does it go to?',
      prescription: null,
    },
    { number: 2, created_at: expect.any(String), payload: COMPLETE, question: null, prescription: null },
  ]);

  expect(codeOf(await decide(id, 'approve', { version: 1 }))).toBe('409 conflict');
  const approval = await decide(id, 'approve', { version: 2 });
  expect(json<{ order: object }>(approval).order).toMatchObject({
    external_id: external_reference,
    shipping_address: { city: 'Berlin', postal_code: '10115' },
  });
});

it('an answer brings its own prescription, and each version keeps the one it came with', async () => {
  const pdfs = [makePdf(`first ${uniqueTag()}`), makePdf(`second ${uniqueTag()}`)];
  const [first, second] = pdfs.map((pdf) => ({
    ...orderRequest().payload,
    prescription_pdf_base64: pdf.toString('base64'),
  }));
  const { id, send } = await questioned(first);
  expect((await send(second ?? {})).status).toBe(200);
  const { versions, prescription, checks } = await detail(id);
  expect(versions.map((version) => version.prescription?.version)).toEqual([1, 2]);
  expect(prescription).toMatchObject({ state: 'stored', version: 2, pdf_sha256: checks.pdf_sha256 });
  const read = async (query: string) =>
    (await organization.api('GET', `/order-requests/${id}/prescription.pdf${query}`)).body;
  expect(await Promise.all(['?version=1', '?version=2', ''].map(read))).toEqual([...pdfs, pdfs[1]]);
  const unknown = await organization.api('GET', `/order-requests/${id}/prescription.pdf?version=3`);
  expect(codeOf(unknown)).toBe('404 not_found');
});

it('a payload that is larger than a message on the bus can be read and decided', async () => {
  const questionnaire = 'x'.repeat(2 * 1024 * 1024);
  const id = await organization.submit(orderRequest({ questionnaire }));
  expect((await detail(id)).payload['questionnaire']).toBe(questionnaire);
  expect((await decide(id, 'reject', { reason: 'other' })).status).toBe(200);
});

it('subscribers receive events of question and answer, without the text', async () => {
  const receiver = await WebhookReceiver.start();
  try {
    const types = ['order_request_submitted', 'order_request_clarification'];
    const hook = await organization.api('POST', '/webhooks', { url: receiver.url, event_types: types });
    expect(hook.status).toBe(201);
    const { id, send } = await questioned();
    await send(COMPLETE);
    const ofRequest = (sequence: number) => (event: { metadata: Record<string, unknown> }) =>
      event.metadata['order_request_id'] === id && event.metadata['sequence'] === sequence;
    const [asked, answered] = [await receiver.waitFor(ofRequest(2)), await receiver.waitFor(ofRequest(3))];
    expect(json({ ...hook, body: asked.body })).toMatchObject({
      event_type: 'order_request_clarification',
      metadata: { status: 'needs_clarification', shop_id: organization.shops[0].shopId },
    });
    expect(asked.body.toString()).not.toContain('Where does it go');
    expect(json({ ...hook, body: answered.body })).toMatchObject({
      event_type: 'order_request_submitted',
      metadata: { status: 'pending' },
    });
  } finally {
    await receiver.close();
  }
});
