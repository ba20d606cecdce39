import type { AuditLogResponse } from '@offizin/contracts/reports/audit';
import type { OrderRequestDetail } from '@offizin/contracts/requests/order-request-review';
import {
  type Prescription,
  type PrescriptionListResponse,
  RECEIPT_KEY,
} from '@offizin/contracts/requests/prescriptions';
import { DocumentServer } from '@offizin/testkit/document-server';
import { eventually } from '@offizin/testkit/eventually';
import { codeOf, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { appendUpdate, makePdf, signPdf } from '@offizin/testkit/pdf';
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

  /** Forms below and above the sizes from which a body is cut, and goes to a thread. */
  it.each([0, 9_000, 300_000])(
    'takes the same document in another form as the same, with %i bytes more',
    async (more) => {
      const pdf = Buffer.concat([Buffer.from('\r\n'), makePdf(uniqueTag()), Buffer.alloc(more, 0xfb)]);
      const [base64, external_reference] = [pdf.toString('base64'), `ref-${uniqueTag()}`];
      const forms = [
        base64.replace(/.{1,76}/g, '$&\r\n'),
        pdf.toString('base64url'),
        `data:application/octet-stream;name=r.pdf;BASE64,${base64}`,
        base64,
      ];
      const [{ shopId: shop_id }] = own.shops;
      const bodies = forms.map((prescription_pdf_base64) =>
        orderRequest({ prescription_pdf_base64, shop_id }, { external_reference }),
      );
      const id = await own.submit(bodies[0] ?? {});
      for (const body of bodies) expect(json(await own.connector({ body }))).toMatchObject({ id });
      const direct = await Promise.all(bodies.map((body) => own.api('POST', '/order-requests', body)));
      const ownIds = new Set(direct.map((answer) => json<{ id: string }>(answer).id));
      expect(ownIds.size).toBe(1);
      for (const each of [id, ...ownIds]) {
        const document = await own.api('GET', `/order-requests/${each}/prescription.pdf`);
        expect(document.body.equals(pdf)).toBe(true);
      }
    },
  );

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

  it('takes a body of megabytes, which no message of the bus could carry', async () => {
    const id = await ingest({ 'Id Card Scan': 'x'.repeat(3_000_000) });
    expect((await read(id)).data['Id Card Scan']).toHaveLength(3_000_000);
  });

  it('writes every look down: list, prescription, receipt', async () => {
    const email = `${uniqueTag()}@example.org`;
    const pdf = makePdf().toString('base64');
    const id = await ingest({ 'Customer Email': email, [RECEIPT_KEY]: pdf });
    const listed = await own.api('GET', `/prescriptions?customer_email=${email.toUpperCase()}`);
    expect(json<PrescriptionListResponse>(listed).data.map((row) => row.id)).toEqual([id]);
    await read(id);
    await own.api('GET', `/prescriptions/${id}/receipt.pdf`);
    const entries = async (query: string) =>
      json<AuditLogResponse>(await own.api('GET', `/audit-log?${query}`)).data.map(({ action }) => action);
    expect(await entries(`object=prescription:${id}`)).toEqual([
      ...['prescription.read-receipt', 'prescription.read', 'prescription.create'],
    ]);
    const lists = json<AuditLogResponse>(await own.api('GET', '/audit-log?action=prescription.list&limit=1'));
    expect(lists.data[0]).toMatchObject({ object: 'prescriptions:1', actor: `key:${own.apiKey.id}` });
  });
});

/** The checks of a prescription, submitted inline or fetched over TLS. */
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

  /** Each with another customer, so that a test repeats only the intended fields. */
  function withPdf(pdf: Buffer, payload: object = {}, envelope: Record<string, unknown> = {}): object {
    const customer_email = `${uniqueTag()}@example.org`;
    const prescription_pdf_base64 = pdf.toString('base64');
    return orderRequest({ customer_email, prescription_pdf_base64, ...payload }, envelope);
  }

  it('say that a PDF was changed after signing', async () => {
    const pdf = appendUpdate(signPdf(makePdf(uniqueTag())));
    const { checks, prescription } = await detail(await organization.submit(withPdf(pdf)));
    expect(checks).toMatchObject({ used_before: [], duplicate_suspect: false, signature: 'altered' });
    expect(checks.pdf_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(prescription).toMatchObject({ state: 'stored', version: 1, url: null, failure: null });
  });

  it('are empty without a prescription', async () => {
    const id = await organization.submit(orderRequest({ customer_email: `${uniqueTag()}@example.org` }));
    expect((await detail(id)).checks).toEqual({
      pdf_sha256: null,
      used_before: [],
      signature: null,
      pages: null,
      duplicate_suspect: false,
    });
  });

  it('show where a PDF was used before and what became of it, in every shop of the organization and no other', async () => {
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
      [
        'a redirect',
        { status: 302, headers: { location: 'https://localhost:1/' } },
        'the server answered 302',
      ],
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
});
