import { randomBytes } from 'node:crypto';
import type { ErrorBody } from '@offizin/contracts/errors';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { orderRequest } from '@offizin/testkit/order-request';
import { makePdf } from '@offizin/testkit/pdf';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';

/** Documents so large that they are opened and encrypted in threads: the same answers as for small ones. */
let platform: TestPlatform;
let organization: TestOrganization;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
});
afterAll(() => platform.close());

function largePdf(): Buffer {
  return Buffer.concat([makePdf(uniqueTag()), randomBytes(2_000_000)]);
}

function request(pdf: Buffer, external_reference = `ref-${uniqueTag()}`, fields: object = {}): object {
  const payload = { prescription_pdf_base64: pdf.toString('base64'), ...fields };
  return orderRequest(payload, { external_reference });
}

it('keeps a prescription byte by byte, with what was found out about it', async () => {
  const pdf = largePdf();
  const id = await organization.submit(request(pdf));
  const read = await organization.api('GET', `/order-requests/${id}/prescription.pdf`);
  expect(read.body.equals(pdf)).toBe(true);
  const detail = json<{ payload: object }>(await organization.api('GET', `/order-requests/${id}`));
  expect(JSON.stringify(detail)).toContain('"signature":"none"');
  expect(detail.payload).not.toHaveProperty('prescription_pdf_base64');
});

it('knows the same request again, and another document by its bytes', async () => {
  const pdf = largePdf();
  const reference = `ref-${uniqueTag()}`;
  const id = await organization.submit(request(pdf, reference));
  expect(await organization.submit(request(pdf, reference))).toBe(id);
  const other = await organization.connector({ body: request(largePdf(), reference) });
  expect(json<ErrorBody>(other).error).toBe('reference_conflict');
});

it('plays the answer to an Idempotency-Key again, and refuses the key with another document', async () => {
  const key = { 'idempotency-key': uniqueTag() };
  const shop_id = organization.shops[0].shopId;
  const [body, other] = [largePdf(), largePdf()].map((pdf) =>
    request(pdf, `ref-${uniqueTag()}`, { shop_id }),
  );
  const first = await organization.api('POST', '/order-requests', body, key);
  const again = await organization.api('POST', '/order-requests', body, key);
  expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([200, 200, 'true']);
  expect(again.body.equals(first.body)).toBe(true);
  const reused = await organization.api('POST', '/order-requests', other, key);
  expect(json<ErrorBody>(reused).error).toBe('idempotency_key_reused');
});

it('refuses in the words of the contract, with all that is wrong', async () => {
  const items = [{ name: 'Salbe', quantity: 0, price: 1 }];
  const wrong = await organization.connector({ body: request(largePdf(), undefined, { items }) });
  expect(json<ErrorBody>(wrong).details?.map(({ field }) => field)).toEqual(['payload.items[0].quantity']);
  const noPdf = await organization.connector({ body: request(randomBytes(1_000_000)) });
  expect(json<ErrorBody>(noPdf)).toMatchObject({
    error: 'invalid_request',
    details: [{ field: 'payload.prescription_pdf_base64', message: 'is not a PDF' }],
  });
  const many = await organization.connector({
    body: request(makePdf(), undefined, { a: Array(150_000).fill(0) }),
  });
  expect(json<ErrorBody>(many)).toMatchObject({ error: 'invalid_request' });
});

it('takes the receipt of a prescription, and knows it again', async () => {
  const receipt = largePdf();
  const body = {
    'Customer Email': 'erika@example.org',
    'Shop Id': organization.shops[0].shopId,
    'Receipt Pdf Base64': receipt.toString('base64'),
  };
  const { id } = json<{ id: string }>(await organization.api('POST', '/prescriptions/ingest', body));
  expect(json<{ id: string }>(await organization.api('POST', '/prescriptions/ingest', body)).id).toBe(id);
  const read = await organization.api('GET', `/prescriptions/${id}/receipt.pdf`);
  expect(read.body.equals(receipt)).toBe(true);
});
