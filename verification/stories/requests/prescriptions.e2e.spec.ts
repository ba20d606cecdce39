import type { OrderRequestDetail } from '@offizin/contracts/requests/order-request-review';
import { type Prescription, RECEIPT_KEY } from '@offizin/contracts/requests/prescriptions';
import { DocumentServer } from '@offizin/testkit/document-server';
import { eventually } from '@offizin/testkit/eventually';
import { codeOf, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { makePdf, signPdf } from '@offizin/testkit/pdf';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';

const platform = usePlatform();

/** A platform hands in prescriptions; staff list and read them, and every look at one is written down. */
describe('prescriptions', () => {
  let own: TestOrganization;
  let server: DocumentServer;

  beforeAll(async () => {
    own = await platform.organization();
    server = await DocumentServer.start();
  });
  afterAll(async () => {
    await server.close();
  });

  async function ingest(keys: object): Promise<string> {
    const body = { 'Customer Email': 'erika@example.org', ...keys };
    const path = `/prescriptions/ingest?shop_id=${own.shops[0].shopId}`;
    const answer = await own.api('POST', path, body);
    expect({ status: answer.status, body: json(answer) }).toEqual({
      status: 200,
      body: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), upsert: 'ok' },
    });
    return json<{ id: string }>(answer).id;
  }

  async function read(id: string): Promise<Prescription> {
    const answer = await own.api('GET', `/prescriptions/${id}`);
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    return json<Prescription>(answer);
  }

  it('shows every key as it was handed in, and the receipt byte for byte', async () => {
    const pdf = makePdf(`Quittung ${uniqueTag()}`);
    const keys = {
      'Customer First Name': 'Erika',
      'Customer Last Name': 'Mustermann',
      'Order Total Amount': 49.9,
      'Id Card Front Url': 'https://example.org/id.png',
      'Product 1 Service Product Id': 'P-1',
      'Product 1 Quantity': 2,
      'Questionnaire Indication': 'Schlafstörung',
      'Questionnaire Since': { years: [1, 2] },
    };
    const id = await ingest({ ...keys, [RECEIPT_KEY]: pdf.toString('base64') });
    const again = { ...keys, [RECEIPT_KEY]: `data:;base64,\n${pdf.toString('base64url')}` };
    expect(await ingest(again)).toBe(id);
    expect(await read(id)).toMatchObject({
      id,
      shop_id: own.shops[0].shopId,
      customer_email: 'erika@example.org',
      customer_first_name: 'Erika',
      order_total_amount: 49.9,
      receipt: { state: 'stored', pdf_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      data: { 'Customer Email': 'erika@example.org', ...keys },
    });
    const receipt = await own.api('GET', `/prescriptions/${id}/receipt.pdf`);
    expect(receipt.headers['content-type']).toBe('application/pdf');
    expect(receipt.body.equals(pdf)).toBe(true);
  });

  it('fetches a receipt from its URL in the background', async () => {
    server.body = Buffer.concat([Buffer.from('\r\n'), makePdf(`Quittung ${uniqueTag()}`)]);
    const id = await ingest({
      'External Id': uniqueTag(),
      [RECEIPT_KEY]: `${server.url}/receipt.pdf?token=abc`,
    });
    const receipt = await eventually('the receipt to be fetched', async () => {
      const answer = await own.api('GET', `/prescriptions/${id}/receipt.pdf`);
      return answer.status === 200 && answer.body;
    });
    expect(receipt.equals(server.body)).toBe(true);
    expect((await read(id)).receipt).toMatchObject({ state: 'stored' });
  });
});

/** The checks of a prescription that is fetched over TLS. */
describe('the checks of a prescription', () => {
  let organization: TestOrganization;
  let server: DocumentServer;

  beforeAll(async () => {
    organization = await platform.organization();
    server = await DocumentServer.start();
  });
  afterAll(async () => {
    await server.close();
  });

  async function detail(id: string): Promise<OrderRequestDetail> {
    const answer = await organization.api('GET', `/order-requests/${id}`);
    expect(answer.status).toBe(200);
    return json(answer);
  }

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
      ['an error', { status: 503 }, 'the server answered 503: it has failed'],
      [
        'a redirect',
        { status: 302, headers: { location: 'https://localhost:1/' } },
        'the server answered 302: its redirect is not followed',
      ],
      ['what is not a PDF', { body: Buffer.from('<html>') }, 'is not a PDF'],
      ['more than 10 MiB', { body: Buffer.alloc(11 * 1024 * 1024, '%PDF-') }, 'larger than'],
    ])(
      'whose server answers %s has failed, reports it, and can be fetched again',
      async (_, answers, why) => {
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
      },
    );
  });
});
