import { createHash, randomBytes } from 'node:crypto';
import { MAX_PDF_BYTES } from '@offizin/contracts/requests/request-documents';
import { MAX_JSON_VALUES } from '@offizin/operations/strict-json';
import { compiledFile } from '@offizin/testkit/programs';
import { eventually } from '@offizin/testkit/eventually';
import { makePdf } from '@offizin/testkit/pdf';
import { DocumentThreads } from './document-threads';
import { decrypt } from '../../crypto/encryption';
import { parseLargeBody } from './parse-large-body';
import { encryptPdf, type HashedPdf } from './encrypt-pdf';

const FIELD = 'payload.prescription_pdf_base64';
const FIELDS = [['payload', 'prescription_pdf_base64']];
const KEY = Buffer.alloc(32, 1);
const threads = new DocumentThreads({
  file: compiledFile('apps/order-core/documents/documents/document-thread.ts'),
});

afterAll(() => threads.stop());

function pdfOf(bytes: number): Buffer {
  return Buffer.concat([makePdf(), randomBytes(bytes)]).subarray(0, bytes);
}

function hashed(bytes: Buffer): HashedPdf {
  return { bytes, sha256: createHash('sha256').update(bytes).digest() };
}

function bodyOf(payload: object): Buffer {
  const text = JSON.stringify({ external_reference: 'a', payload });
  const body = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  body.write(text);
  return body;
}

/** Counts the ticks of the event loop that run during `work`. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

it('extracts a document of 10 MiB from its body, byte by byte, and leaves the rest', async () => {
  const pdf = pdfOf(MAX_PDF_BYTES);
  const body = bodyOf({
    customer_name: 'Erika',
    prescription_pdf_base64: pdf.toString('base64'),
    note: 'ä€😀',
  });
  const expected = parseLargeBody(Buffer.from(body), FIELDS);
  const opened = await threads.open(body, { fields: FIELDS }, 'org');
  expect(opened.plain).toEqual({
    external_reference: 'a',
    payload: { customer_name: 'Erika', note: 'ä€😀' },
  });
  const document = opened.documents.get(FIELD);
  expect({ ...document, bytes: null }).toEqual({ ...expected.documents.get(FIELD), bytes: null });
  expect(document?.ok === true && document.bytes.equals(pdf)).toBe(true);
});

it('extracts each document of a list, byte by byte, beside that of the payload', async () => {
  const fields = [...FIELDS, ['payload', 'documents', '*', 'pdf_base64']];
  const pdfs = [pdfOf(400_000), pdfOf(300_001), pdfOf(5_000)];
  const [first, ...listed] = pdfs.map((pdf) => pdf.toString('base64'));
  const documents = [
    ...listed.map((pdf_base64) => ({ kind: 'other', pdf_base64 })),
    { kind: 'other', pdf_url: 'https://praxis.example/1.pdf' },
  ];
  const opened = await threads.open(bodyOf({ prescription_pdf_base64: first, documents }), { fields }, 'org');
  const [other] = documents.slice(-1);
  expect(opened.plain).toEqual({
    external_reference: 'a',
    payload: { documents: [{ kind: 'other' }, { kind: 'other' }, other] },
  });
  const found = [...opened.documents].map(([field, document]) => [field, document.ok && document.bytes]);
  expect(found).toEqual([
    [FIELD, pdfs[0]],
    ['payload.documents[0].pdf_base64', pdfs[1]],
    ['payload.documents[1].pdf_base64', pdfs[2]],
  ]);
});

it('keeps the event loop free for other work', async () => {
  const base64 = pdfOf(MAX_PDF_BYTES).toString('base64');
  // Retried, because a busy machine may give this process no tick meanwhile. Each try needs a new body: the thread
  // takes ownership of the bytes.
  await eventually('the event loop ticks while a body is opened', async () => {
    const body = bodyOf({ prescription_pdf_base64: base64 });
    return (await turnsDuring(() => threads.open(body, { fields: FIELDS }, 'org'))) > 5;
  });
  await eventually('others have turns while a document is encrypted', async () => {
    const pdf = pdfOf(MAX_PDF_BYTES);
    return (await turnsDuring(() => threads.encrypt(KEY, hashed(pdf), 'id', 'org'))) > 5;
  });
});

it('opens bodies below the limit of the threads one in each turn, of all organizations alike', async () => {
  const values = Array.from({ length: 10_000 }, () => 1);
  const bodies = Array.from({ length: 24 }, () => bodyOf({ values, note: 'x'.repeat(100_000) }));
  const done: string[] = [];
  const open = (body: Buffer, orgId: string) =>
    threads.open(body, { fields: FIELDS }, orgId).then(() => done.push(orgId));
  const turns = await turnsDuring(async () => {
    const opening = bodies.map((body) => open(body, 'greedy'));
    await open(bodyOf({ values, note: 'x'.repeat(100_000) }), 'modest');
    await Promise.all(opening);
  });
  expect(turns).toBeGreaterThanOrEqual(24);
  expect(done.indexOf('modest')).toBeLessThanOrEqual(2);
});

it.each([
  [
    'no base64',
    'x'.repeat(200_000) + '!',
    { ok: false, message: expect.stringMatching('at character 200001:') as string },
  ],
  ['no PDF', Buffer.alloc(200_000).toString('base64'), { ok: false, message: 'is not a PDF' }],
  ['too large', pdfOf(MAX_PDF_BYTES + 1).toString('base64'), { ok: false, tooLarge: true }],
])('reports an invalid document: %s', async (_name, text, expected) => {
  const { documents } = await threads.open(
    bodyOf({ prescription_pdf_base64: text }),
    { fields: FIELDS },
    'org',
  );
  expect(documents.get(FIELD)).toMatchObject(expected);
});

it('leaves a value in the body that may be an address or is not a string', async () => {
  for (const value of ['https://praxis.example/rezept.pdf', 7, null]) {
    const payload = { prescription_pdf_base64: value, filler: 'x'.repeat(200_000) };
    const { plain, documents } = await threads.open(bodyOf(payload), { fields: FIELDS }, 'org');
    expect([plain, documents.size]).toEqual([{ external_reference: 'a', payload }, 0]);
  }
});

it('refuses a body exactly as the event loop would', async () => {
  for (const text of [
    '{"payload": ',
    '{"a":1,"a":2}',
    '{"a":1e400}',
    `[${'[],'.repeat(MAX_JSON_VALUES)}1]`,
  ]) {
    const error: unknown = await threads
      .open(Buffer.from(text), { fields: FIELDS }, 'org')
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'Refused', code: 'invalid_request' });
  }
});

it('stays within its memory limit with the largest accepted bodies', async () => {
  const wide = bodyOf({ prescription_pdf_base64: '€'.repeat(5_000_000) });
  const kept = bodyOf({ kept: Array.from({ length: 90_000 }, () => '€'.repeat(55)) });
  const [first, second] = await Promise.all([
    threads.open(wide, { fields: FIELDS }, 'org'),
    threads.open(kept, { fields: FIELDS }, 'org'),
  ]);
  expect(first.documents.get(FIELD)).toMatchObject({ ok: false });
  expect(second.documents.size).toBe(0);
});

it('encrypts exactly as the event loop would', async () => {
  for (const size of [1_000, 1_000_000]) {
    const pdf = pdfOf(size);
    const here = encryptPdf(KEY, hashed(pdf), 'id');
    const there = await threads.encrypt(KEY, hashed(Buffer.from(pdf)), 'id', 'org');
    expect({ ...there, ciphertext: null }).toEqual({ ...here, ciphertext: null });
    expect(decrypt(KEY, there.ciphertext, 'id').equals(pdf)).toBe(true);
  }
  // The thread received a copy of the key.
  expect(KEY.every((byte) => byte === 1)).toBe(true);
});

it('enforces the limit on values in the body', async () => {
  const body = (values: number) => Buffer.from(`{"payload":{"list":[${'1,'.repeat(values - 4)}1]}}`);
  const parts = { fields: FIELDS, maxValues: 10 };
  expect((await threads.open(body(10), parts, 'org')).documents.size).toBe(0);
  await expect(threads.open(body(11), parts, 'org')).rejects.toThrow('more than 10 values');
});
