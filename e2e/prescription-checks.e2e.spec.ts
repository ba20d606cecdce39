import type { OrderRequestDetail } from '@offizin/contracts/order-request-review';
import { DocumentServer } from '@offizin/testkit/document-server';
import { codeOf } from '@offizin/testkit/error-code';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { orderRequest } from '@offizin/testkit/order-request';
import type { TestOrganization } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { appendUpdate, pdfWithObjectStream, signPdf } from '@offizin/testkit/pdf-variants';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';

/** What the pharmacist is told of a prescription, however it came: handed in, or fetched over TLS. */
let platform: TestPlatform;
let organization: TestOrganization;
let server: DocumentServer;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
  server = await DocumentServer.start();
});
afterAll(async () => {
  await server.close();
  await platform.close();
});

async function detail(id: string): Promise<OrderRequestDetail> {
  const answer = await organization.api('GET', `/order-requests/${id}`);
  expect(answer.status).toBe(200);
  return json(answer);
}

/** Of a customer of its own, so that only what a test means is repeated. */
function withPdf(pdf: Buffer, payload: object = {}, envelope: Record<string, unknown> = {}): object {
  const customer_email = `${uniqueTag()}@example.org`;
  const prescription_pdf_base64 = pdf.toString('base64');
  return orderRequest({ customer_email, prescription_pdf_base64, ...payload }, envelope);
}

describe('the checks', () => {
  it.each<[string, () => Buffer, object]>([
    ['a plain PDF', () => makePdf(uniqueTag()), { signature: 'none', pages: 1 }],
    ['a signed PDF', () => signPdf(makePdf(uniqueTag())), { signature: 'present', pages: 1 }],
    [
      'a PDF changed after signing',
      () => appendUpdate(signPdf(makePdf(uniqueTag()))),
      { signature: 'altered' },
    ],
    ['a PDF with object streams', () => pdfWithObjectStream(12), { signature: 'none', pages: 12 }],
    ['a header and nothing else', () => Buffer.from(`%PDF-1.7 ${uniqueTag()}`), { pages: null }],
  ])('of %s', async (_, make, expected) => {
    const { checks, prescription } = await detail(await organization.submit(withPdf(make())));
    expect(checks).toMatchObject({ used_before: [], duplicate_suspect: false, ...expected });
    expect(checks.pdf_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(prescription).toMatchObject({ state: 'stored', version: 1, url: null, failure: null });
  });

  it('of a request without prescription are empty', async () => {
    const id = await organization.submit(orderRequest({ customer_email: `${uniqueTag()}@example.org` }));
    expect((await detail(id)).checks).toEqual({
      pdf_sha256: null,
      used_before: [],
      signature: null,
      pages: null,
      duplicate_suspect: false,
    });
  });
});

describe('a PDF that was used before', () => {
  it('is shown with where and what became of it, in every shop of the organization and no other', async () => {
    const pdf = makePdf(`shared ${uniqueTag()}`);
    const [here, there] = organization.shops;
    const first = await organization.submit(withPdf(pdf), here);
    await organization.api('POST', `/order-requests/${first}/reject`, { reason: 'other' });
    const second = await organization.submit(withPdf(pdf, {}, { external_reference: uniqueTag() }), there);
    const foreign = await platform.organization();
    const third = await foreign.submit(withPdf(pdf));
    const { checks } = await detail(second);
    expect(checks.used_before).toEqual([
      { order_request_id: first, shop_id: here.shopId, status: 'rejected', created_at: expect.any(String) },
    ]);
    // It was sent with a reference, so a repeat is no suspicion.
    expect(checks.duplicate_suspect).toBe(false);
    expect((await detail(first)).checks.used_before).toEqual([]);
    const elsewhere = await foreign.api('GET', `/order-requests/${third}`);
    expect(json<OrderRequestDetail>(elsewhere).checks.used_before).toEqual([]);
  });

  it('or a customer who was just here, without a reference, is a suspected duplicate', async () => {
    const pdf = makePdf(`twice ${uniqueTag()}`);
    const ids = [await organization.submit(withPdf(pdf)), await organization.submit(withPdf(pdf))];
    const suspects = await Promise.all(ids.map(async (id) => (await detail(id)).checks.duplicate_suspect));
    expect(suspects).toEqual([false, true]);

    const customer_email = `${uniqueTag()}@example.org`;
    const same = [customer_email, customer_email.toUpperCase()];
    const requests: string[] = [];
    for (const email of same)
      requests.push(await organization.submit(orderRequest({ customer_email: email })));
    const referenced = orderRequest({ customer_email }, { external_reference: uniqueTag() });
    requests.push(await organization.submit(referenced));
    const found = await Promise.all(requests.map(async (id) => (await detail(id)).checks.duplicate_suspect));
    expect(found).toEqual([false, true, false]);
  });
});

describe('a prescription behind a URL', () => {
  const submitUrl = (path: string) => {
    const customer_email = `${uniqueTag()}@example.org`;
    return organization.submit(
      orderRequest({ customer_email, prescription_pdf_url: `${server.url}/${path}?token=x` }),
    );
  };
  const retry = (id: string) => organization.api('POST', `/order-requests/${id}/retry-fetch`, {});
  const settled = (id: string, state: string) =>
    eventually(`the fetch to be ${state}`, async () => {
      const found = await detail(id);
      return found.prescription?.state === state && found;
    });

  it('is fetched over TLS, once, and checked as one that was handed in', async () => {
    const pdf = signPdf(makePdf(uniqueTag()));
    Object.assign(server, { status: 200, body: pdf });
    const path = uniqueTag();
    const id = await submitUrl(path);
    const { checks, prescription } = await settled(id, 'stored');
    expect(checks).toMatchObject({ signature: 'present', pages: 1 });
    expect(prescription).toMatchObject({ fetch_attempts: 1, pdf_sha256: checks.pdf_sha256, failure: null });
    expect(server.asked.filter((asked) => asked.startsWith(`/${path}`))).toHaveLength(1);
    const read = await organization.api('GET', `/order-requests/${id}/prescription.pdf`);
    expect(read.body.equals(pdf)).toBe(true);
    expect(codeOf(await retry(id))).toBe('409 conflict');
  });

  it.each<[string, object, string]>([
    ['an error', { status: 503 }, 'the server answered 503'],
    ['a redirect', { status: 302, headers: { location: 'https://localhost:1/' } }, 'the server answered 302'],
    ['what is no PDF', { body: Buffer.from('<html>') }, 'is not a PDF'],
    ['more than 10 MiB', { body: Buffer.alloc(11 * 1024 * 1024, '%PDF-') }, 'larger than'],
  ])('whose server answers %s has failed, says so, and can be fetched again', async (_, answers, why) => {
    const pdf = makePdf(uniqueTag());
    Object.assign(server, { status: 200, body: pdf, headers: {}, ...answers });
    const id = await submitUrl(uniqueTag());
    const failed = await settled(id, 'failed');
    expect(failed.prescription?.failure).toContain(why);
    expect(failed.status).toBe('pending');
    expect(codeOf(await organization.api('GET', `/order-requests/${id}/prescription.pdf`))).toBe(
      '404 not_found',
    );

    Object.assign(server, { status: 200, body: pdf, headers: {} });
    const again = await retry(id);
    expect(again.status).toBe(200);
    expect(json<OrderRequestDetail>(again).prescription).toMatchObject({ failure: null });
    const { prescription } = await settled(id, 'stored');
    expect(prescription).toMatchObject({ fetch_attempts: 2, failure: null });
  });

  it('that nobody serves has failed', async () => {
    const nowhere = 'https://localhost:9/x.pdf';
    const id = await organization.submit(orderRequest({ prescription_pdf_url: nowhere }));
    const { prescription } = await settled(id, 'failed');
    expect(prescription?.failure).toContain('ECONNREFUSED');
  });

  it('cannot be fetched where there is none', async () => {
    const id = await organization.submit(orderRequest());
    expect(codeOf(await retry(id))).toBe('404 not_found');
  });
});
