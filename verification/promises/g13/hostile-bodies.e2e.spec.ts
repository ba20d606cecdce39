import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { MAX_PDF_BYTES } from '@offizin/contracts/requests/request-documents';
import { expectDescribed } from '@offizin/testkit/described-answers';
import { http, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { thingsOf } from '@offizin/testkit/organization-things';
import { makePdf } from '@offizin/testkit/pdf';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';
import { type RawAnswer, rawHttp } from '@offizin/testkit/raw-http';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';
import { Random } from '../../../tools/demo/random';
import { generatedRequest } from './generated-request';

const platform = usePlatform();

/** Bodies that are too large, of another kind, or made to break a parser: refused in the contract's words, at once. */
describe('hostile bodies', () => {
  const MEBIBYTE = 1024 * 1024;
  let organization: TestOrganization;

  beforeAll(async () => {
    organization = await platform.organization();
  });

  /** The two ways in, each with the headers that let a body through to its reader. */
  const doors: [string, () => { url: string; path: string; headers: string[] }][] = [
    [
      'connector',
      () => ({
        url: organization.urls.connectorUrl,
        path: '/api/v1/external-order',
        headers: [`Host: ${organization.shops[0].domain}`, `apikey: ${organization.integrationKey.text}`],
      }),
    ],
    [
      'organization API, order request',
      () => ({
        url: organization.urls.baseUrl,
        path: `/api/v2/public/orgs/${organization.orgId}/order-requests`,
        headers: ['Host: localhost', `Authorization: Bearer ${organization.token}`],
      }),
    ],
    [
      'organization API, order',
      () => ({
        url: organization.urls.baseUrl,
        path: `/api/v2/public/orgs/${organization.orgId}/orders`,
        headers: ['Host: localhost', `Authorization: Bearer ${organization.token}`],
      }),
    ],
  ];

  type Door = (typeof doors)[number][1];

  async function send(door: Door, headers: string[], body: Iterable<Buffer>): Promise<RawAnswer> {
    const { url, path, headers: own } = door();
    return rawHttp(url, { head: [`POST ${path} HTTP/1.1`, ...own, ...headers], body });
  }

  async function sendText(door: Door, body: Buffer | string, type = 'application/json'): Promise<string> {
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    const answer = await send(door, [`Content-Type: ${type}`, length], [Buffer.from(body)]);
    return codeOf(answer);
  }

  function codeOf(answer: RawAnswer): string {
    return `${answer.status} ${(JSON.parse(answer.body) as ErrorBody).error}`;
  }

  function* pieces(totalBytes: number, chunked: boolean): Generator<Buffer> {
    const piece = Buffer.alloc(64 * 1024, 'a');
    for (let sent = 0; sent < totalBytes; sent += piece.length) {
      yield chunked
        ? Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
        : piece;
    }
    if (chunked) yield Buffer.from('0\r\n\r\n');
  }

  describe.each(doors)('%s', (_, door) => {
    const JSON_TYPE = 'Content-Type: application/json';

    it('refuses a body that says it is too large before it is read', async () => {
      const size = 100 * MEBIBYTE;
      const answer = await send(door, [JSON_TYPE, `Content-Length: ${size}`], pieces(size, false));
      expect(codeOf(answer)).toBe('413 payload_too_large');
      expect(answer.sentBytes).toBeLessThan(size / 2);
      expect(answer.durationMs).toBeLessThan(2_000 * SLOWNESS);
    });

    it('refuses a chunked body as soon as there is more than the limit', async () => {
      const size = 200 * MEBIBYTE;
      const answer = await send(door, [JSON_TYPE, 'Transfer-Encoding: chunked'], pieces(size, true));
      expect(codeOf(answer)).toBe('413 payload_too_large');
      // How much was on its way by then is the sockets' business.
      expect(answer.sentBytes).toBeLessThan(size);
      expect(answer.durationMs).toBeLessThan(5_000 * SLOWNESS);
    });

    it.each([
      ['trailers that are announced for a body of a length', ['Trailer: X-Sum']],
      ['a wish for another protocol', ['Connection: Upgrade', 'Upgrade: websocket']],
      ['what it would take itself', ['Connection: TE', 'TE: trailers']],
    ])('answers a caller who adds %s as it answers all', async (_about, headers) => {
      const plain = ['Content-Type: application/json', 'Content-Length: 2'];
      const usual = await send(door, plain, [Buffer.from('{}')]);
      const answer = await send(door, [...headers, ...plain], [Buffer.from('{}')]);
      expect(codeOf(answer)).toBe(codeOf(usual));
      expect(usual.status).toBeLessThan(500);
    });

    it('refuses a compressed body', async () => {
      const body = gzipSync(JSON.stringify(orderRequest()));
      const headers = [JSON_TYPE, 'Content-Encoding: gzip', `Content-Length: ${body.length}`];
      expect(codeOf(await send(door, headers, [body]))).toBe('415 unsupported_media_type');
    });

    it.each([
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
    ])('refuses %s', async (type) => {
      expect(await sendText(door, JSON.stringify(orderRequest()), type)).toBe('415 unsupported_media_type');
    });

    /** libs/operations/strict-json.spec.ts has the others. */
    it.each<[string, string | Buffer]>([
      ['malformed JSON', '{"payload": '],
      ['a NUL character', '{"external_reference": "a\\u0000b", "payload": {}}'],
      ['a duplicate key', '{"payload": {"customer_name": "a", "customer_name": "b"}}'],
      ['__proto__', '{"payload": {"__proto__": {"isAdmin": true}}}'],
      ['a number beyond all numbers in an unknown key', `{"payload": {"x": 1e400}}`],
      ['objects 20,000 deep', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
      ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
      ['an array', '[]'],
    ])('refuses %s', async (_name, body) => {
      expect(await sendText(door, body)).toBe('400 invalid_request');
    });
  });

  it('takes a PDF of exactly 10 MiB and refuses one of a byte more', async () => {
    const pdf = Buffer.concat([makePdf(), Buffer.alloc(MAX_PDF_BYTES)]).subarray(0, MAX_PDF_BYTES);
    const prescription_pdf_base64 = pdf.toString('base64');
    expect((await organization.connector({ body: orderRequest({ prescription_pdf_base64 }) })).status).toBe(
      200,
    );
    const larger = Buffer.concat([pdf, Buffer.from('a')]).toString('base64');
    const refused = await organization.connector({ body: orderRequest({ prescription_pdf_base64: larger }) });
    expect({ status: refused.status, error: json(refused)['error'] }).toEqual({
      status: 413,
      error: 'payload_too_large',
    });
  });
});

/**
 * Valid calls, hostile values among theirs: none may end in a 5xx, and every answer must be as described.
 * OFFIZIN_GENERATED_REQUESTS sets how many; a failure prints the seed that makes the same ones again.
 */
describe('generated requests', () => {
  const COUNT = Number(process.env['OFFIZIN_GENERATED_REQUESTS'] ?? 1500);
  const IN_FLIGHT = 16;

  let organization: TestOrganization;
  let ids: Record<string, string>;

  beforeAll(async () => {
    organization = await platform.organization();
    const receiver = await WebhookReceiver.start();
    const things = await thingsOf({ platform, organization, receiverUrl: receiver.url });
    await receiver.close();
    ids = { ...things, orgId: organization.orgId };
  });

  it(
    `answers ${COUNT} generated requests as described, none with a 5xx`,
    async () => {
      const seed = process.env['OFFIZIN_SEED'] ?? uniqueTag();
      const random = new Random(seed);
      const requests = Array.from({ length: COUNT }, () => generatedRequest(random, ids));
      const headers = { authorization: `Bearer ${organization.token}`, 'content-type': 'application/json' };
      const failures: string[] = [];
      const statuses = new Map<number, number>();
      const queue = requests.values();
      const walk = async (): Promise<void> => {
        for (const { method, path, body } of queue) {
          const url = `${organization.urls.baseUrl}${path}`;
          const answer = await http(url, { method, body, headers });
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          const request = `${method} ${path} ${body ?? ''}`.slice(0, 600);
          if (answer.status >= 500) failures.push(`${answer.status}: ${request}`);
          try {
            expectDescribed(method, url, answer);
          } catch (error) {
            failures.push(`${error instanceof Error ? error.message : String(error)}: ${request}`);
          }
        }
      };
      await Promise.all(Array.from({ length: IN_FLIGHT }, walk));
      expect({ seed, failures: failures.slice(0, 10) }).toEqual({ seed, failures: [] });
      // The walk is worth something only when it gets past the first check.
      expect(statuses.get(200) ?? 0).toBeGreaterThan(COUNT / 20);
    },
    30_000 + COUNT * 60,
  );
});

/** Documents so large that they are opened and encrypted in threads: the same answers as for small ones. */
describe('large documents', () => {
  let organization: TestOrganization;

  beforeAll(async () => {
    organization = await platform.organization();
  });

  function largePdf(): Buffer {
    return Buffer.concat([makePdf(uniqueTag()), randomBytes(2_000_000)]);
  }

  it('plays the answer to an Idempotency-Key again, and refuses the key with another document', async () => {
    const key = { 'idempotency-key': uniqueTag() };
    const shop_id = organization.shops[0].shopId;
    const [body, other] = [largePdf(), largePdf()].map((pdf) =>
      orderRequest({ shop_id, prescription_pdf_base64: pdf.toString('base64') }),
    );
    const first = await organization.api('POST', '/order-requests', body, key);
    const again = await organization.api('POST', '/order-requests', body, key);
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([200, 200, 'true']);
    expect(again.body.equals(first.body)).toBe(true);
    const reused = await organization.api('POST', '/order-requests', other, key);
    expect(json<ErrorBody>(reused).error).toBe('idempotency_key_reused');
  });
});
