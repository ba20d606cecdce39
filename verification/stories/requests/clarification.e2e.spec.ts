import type { OrderRequestDetail } from '@offizin/contracts/requests/order-request-review';
import type { OrderRequestResponse } from '@offizin/contracts/requests/order-requests';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';

/** The pharmacist asks, the partner reads the question and completes its request, the pharmacist approves it. */
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
