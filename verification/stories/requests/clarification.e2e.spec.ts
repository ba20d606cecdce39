import type { ApproveResponse, OrderRequestDetail } from '@offizin/contracts/requests/order-request-review';
import type { OrderRequestProgress, OrderRequestResponse } from '@offizin/contracts/requests/order-requests';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization, tokenWith } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';

/** The pharmacist asks or offers other lines, the partner reads and answers that, the pharmacist approves it. */
const platform = usePlatform();
let organization: TestOrganization;

beforeAll(async () => {
  organization = await platform.organization();
});

const INCOMPLETE = orderRequest({ address_city: null }).payload;

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

it('an offer is read and accepted at the shop, repeated calls change nothing, and it is approved as offered', async () => {
  const id = await organization.submit(orderRequest());
  const question = 'One instead of two?';
  const body = { version: 1, items: [{ name: 'Cream', qty: 1, price: 3.5 }], question };
  const offer = (headers: Record<string, string>): Promise<HttpAnswer> =>
    organization.api('POST', `/order-requests/${id}/offer`, body, headers);
  const scopes = ['order_requests.read', 'order_requests.write'];
  const forbidden = await offer({ authorization: `Bearer ${await tokenWith(organization, scopes)}` });
  expect(codeOf(forbidden)).toBe('403 insufficient_scope');
  const key = { 'idempotency-key': uniqueTag() };
  const [first, again] = [await offer(key), await offer(key)];
  expect([first.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
  expect(json(again)).toEqual(json(first));

  const read = json<OrderRequestProgress>(await organization.connector({ method: 'GET', tail: `/${id}` }));
  const lines = [{ p1_id: null, name: 'Cream', quantity: 1, price: 3.5 }];
  const open = { state: 'open', total_amount: 3.5, items: lines };
  expect(read).toMatchObject({ status: 'needs_clarification', question, offer: open });
  const answer = (word: string): Promise<HttpAnswer> =>
    organization.connector({ tail: `/${id}/offer/${word}`, body: { offer_id: read.offer?.id } });
  for (const accepted of [await answer('accept'), await answer('accept')])
    expect([accepted.status, json<OrderRequestResponse>(accepted).status]).toEqual([200, 'pending']);
  expect(codeOf(await answer('decline'))).toBe('409 already_decided');
  const { order } = json<ApproveResponse>(await decide(id, 'approve', { version: 2 }));
  expect(order).toMatchObject({ items: lines, total_amount: 3.5 });
});
