import { gzipSync } from 'node:zlib';
import type { ErrorBody } from '@offizin/contracts/errors';
import { MAX_PDF_BYTES } from '@offizin/contracts/order-requests';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { orderRequest } from '@offizin/testkit/order-request';
import { makePdf } from '@offizin/testkit/pdf';
import { TestPlatform } from '@offizin/testkit/platform';
import { rawHttp, type RawAnswer } from '@offizin/testkit/raw-http';
import { SLOWNESS } from '@offizin/testkit/test-run';

/** Bodies that are too large, of another kind, or made to break a parser: refused in the contract's words, at once. */
const MEBIBYTE = 1024 * 1024;
let platform: TestPlatform;
let organization: TestOrganization;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
});
afterAll(() => platform.close());

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

  it('refuses a body of 16 MiB with its length', async () => {
    const size = 16 * MEBIBYTE;
    const answer = await send(door, [JSON_TYPE, `Content-Length: ${size}`], pieces(size, false));
    expect(codeOf(answer)).toBe('413 payload_too_large');
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

  it.each<[string, string | Buffer]>([
    ['malformed JSON', '{"payload": '],
    ['JSON with something behind it', '{} {}'],
    ['a NUL character', '{"external_reference": "a\\u0000b", "payload": {}}'],
    ['a raw NUL', '{"external_reference": "a\0b", "payload": {}}'],
    ['an unpaired surrogate', '{"external_reference": "\\ud800", "payload": {}}'],
    ['an unpaired surrogate in a key', '{"\\udc00": 1, "payload": {}}'],
    ['a duplicate key', '{"payload": {"customer_name": "a", "customer_name": "b"}}'],
    ['a duplicate key, once escaped', '{"payload": {"a": 1, "\\u0061": 2}}'],
    ['__proto__', '{"payload": {"__proto__": {"isAdmin": true}}}'],
    ['a key named constructor', '{"payload": {"deep": {"constructor": {"a": 1}}}}'],
    ['a key that every object has', '{"payload": {"deep": {"hasOwnProperty": 1}}}'],
    ['a number beyond all numbers in an unknown key', `{"payload": {"x": 1e400}}`],
    ['a number of 400 digits in an unknown key', `{"payload": {"x": ${'9'.repeat(400)}}}`],
    ['objects 20,000 deep', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
    ['arrays 20,000 deep', `{"payload": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['an array', '[]'],
    ['a string', '"payload"'],
    ['null', 'null'],
  ])('refuses %s', async (_name, body) => {
    expect(await sendText(door, body)).toBe('400 invalid_request');
  });
});

it('refuses a number beyond all numbers in a key that would be kept', async () => {
  const text = JSON.stringify(orderRequest({ kept: 12345 }));
  for (const number of ['1e400', '-1e400', '9'.repeat(400)]) {
    const answer = await organization.connector({
      body: text.replace('12345', number),
      headers: { 'content-type': 'application/json' },
    });
    expect({ status: answer.status, error: json(answer)['error'] }).toEqual({
      status: 400,
      error: 'invalid_request',
    });
  }
  const small = text.replace('12345', '1e-400');
  const answer = await organization.connector({
    body: small,
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.status).toBe(200);
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
