import { randomBytes } from 'node:crypto';
import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { MAX_PDF_BYTES } from '@offizin/contracts/requests/request-documents';
import { expectDescribed } from '@offizin/testkit/described-answers';
import { type Edge, type Target, targetAt } from '@offizin/testkit/edge-target';
import { http, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { thingsOf } from '@offizin/testkit/organization-things';
import { makePdf } from '@offizin/testkit/pdf';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';
import type { RawAnswer } from '@offizin/testkit/raw-http';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';
import { Random } from '../../../tools/demo/random';
import { badUtf8, compressedBody, hugeBody, wholeBody } from '../faults/hostile-callers';
import { generatedRequest } from './generated-request';

const platform = usePlatform();

/** Bodies that are too large, of another kind, or made to break a parser: refused early, in the contract's words. */
describe('hostile bodies', () => {
  const HUGE_BYTES = 100 * 1024 * 1024;
  let organization: TestOrganization;

  beforeAll(async () => {
    organization = await platform.organization();
  });

  const doors: [string, Edge, string?][] = [
    ['connector', 'connector-edge'],
    ['organization API, order request', 'gateway', '/order-requests'],
    ['organization API, order', 'gateway', '/orders'],
  ];

  function codeOf(answer: RawAnswer): string {
    return `${answer.status} ${(JSON.parse(answer.body) as ErrorBody).error}`;
  }

  describe.each(doors)('%s', (_, edge, path) => {
    const target = (): Target => targetAt(edge, organization, path);

    it('refuses a body that states it is too large before it is read', async () => {
      const answer = await hugeBody(target(), true);
      expect(codeOf(answer)).toBe('413 payload_too_large');
      expect(answer.sentBytes).toBeLessThan(HUGE_BYTES / 2);
      expect(answer.durationMs).toBeLessThan(2_000 * SLOWNESS);
    });

    it('refuses a chunked body as soon as there is more than the limit', async () => {
      const answer = await hugeBody(target(), false);
      expect(codeOf(answer)).toBe('413 payload_too_large');
      // How much was on its way by then is the sockets' business.
      expect(answer.sentBytes).toBeLessThan(HUGE_BYTES);
      expect(answer.durationMs).toBeLessThan(5_000 * SLOWNESS);
    });

    it.each<[string, Record<string, string>]>([
      ['trailers that are announced for a body of a length', { trailer: 'X-Sum' }],
      ['a wish for another protocol', { connection: 'Upgrade', upgrade: 'websocket' }],
      ['what it would take itself', { connection: 'TE', te: 'trailers' }],
    ])('answers a caller who adds %s as it answers all', async (_about, headers) => {
      const usual = await wholeBody(target(), '{}');
      expect(codeOf(await wholeBody(target(), '{}', headers))).toBe(codeOf(usual));
      expect(usual.status).toBeLessThan(500);
    });

    it('refuses a compressed body', async () => {
      expect(codeOf(await compressedBody(target()))).toBe('415 unsupported_media_type');
    });

    it.each([
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
    ])('refuses %s', async (type) => {
      const answer = await wholeBody(target(), JSON.stringify(orderRequest()), { 'content-type': type });
      expect(codeOf(answer)).toBe('415 unsupported_media_type');
    });

    /** libs/operations/strict-json.spec.ts has the others. */
    it.each<[string, string | Buffer]>([
      ['malformed JSON', '{"payload": '],
      ['a NUL character', '{"external_reference": "a\\u0000b", "payload": {}}'],
      ['a duplicate key', '{"payload": {"customer_name": "a", "customer_name": "b"}}'],
      ['__proto__', '{"payload": {"__proto__": {"isAdmin": true}}}'],
      ['a number beyond all numbers in an unknown key', `{"payload": {"x": 1e400}}`],
      ['objects 20,000 deep', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
      ['invalid UTF-8', badUtf8()],
      ['an array', '[]'],
    ])('refuses %s', async (_name, body) => {
      expect(codeOf(await wholeBody(target(), body))).toBe('400 invalid_request');
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
