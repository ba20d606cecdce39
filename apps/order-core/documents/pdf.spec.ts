import { createHash } from 'node:crypto';
import { MAX_PDF_BYTES } from '@offizin/contracts/order-requests';
import { COMPLEXITY_GUARD_MS } from '@offizin/testkit/complexity-guard';
import { makePdf } from '@offizin/testkit/pdf';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { checkPdf, decodePdf } from './pdf';

const PDF = makePdf();
const BASE64 = PDF.toString('base64');
const SHA256 = createHash('sha256').update(PDF).digest();

function pdfOf(bytes: number): Buffer {
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(bytes - 9, 0x20)]);
}

it('decodes base64, with or without the prefix of a data URL', () => {
  for (const text of [BASE64, `data:application/pdf;base64,${BASE64}`]) {
    expect(decodePdf(text)).toMatchObject({ ok: true, bytes: PDF, sha256: SHA256 });
    expect(decodePdf(Buffer.from(text))).toEqual(decodePdf(text));
  }
});

it.each([
  ['nothing', ''],
  ['only a prefix', 'data:application/pdf;base64,'],
  ['another media type', `data:image/png;base64,${BASE64}`],
  ['a line break', `${BASE64.slice(0, 76)}\n${BASE64.slice(76)}`],
  ['a space after it', `${BASE64} `],
  ['a character of another alphabet', `JVBERi0-${BASE64.slice(8)}`],
  ['missing padding', Buffer.from('%PDF-1').toString('base64').replace(/=*$/, 'A')],
  ['padding in the middle', `JVBERi0=${BASE64}`],
  ['bits behind the end', 'JVBERi0xLjd='],
  ['a URL', 'https://a.example/rezept.pdf'],
])('refuses %s as invalid base64', (_, text) => {
  expect(decodePdf(text)).toMatchObject({ ok: false, message: 'is not valid base64' });
});

it.each(['PDF-1.7', ' %PDF-1.7', '%pdf-1.7', '<html>', '%PDF'])(
  'refuses content without a PDF header: %p',
  (text) => {
    const refused = { ok: false, message: 'is not a PDF' };
    expect(checkPdf(Buffer.from(text))).toEqual(refused);
    expect(decodePdf(Buffer.from(text).toString('base64'))).toEqual(refused);
  },
);

it('accepts a PDF of exactly the largest size and reports a larger one as too large', () => {
  expect(decodePdf(pdfOf(MAX_PDF_BYTES).toString('base64'))).toMatchObject({ ok: true });
  for (const bytes of [MAX_PDF_BYTES + 1, MAX_PDF_BYTES + 2, MAX_PDF_BYTES + 3, MAX_PDF_BYTES * 2]) {
    expect(decodePdf(pdfOf(bytes).toString('base64'))).toMatchObject({ ok: false, tooLarge: true });
    expect(checkPdf(pdfOf(bytes))).toMatchObject({ ok: false, tooLarge: true });
  }
});

it('decodes the largest PDF in linear time', () => {
  const text = pdfOf(MAX_PDF_BYTES).toString('base64');
  const startedAt = performance.now();
  decodePdf(text);
  expect(performance.now() - startedAt).toBeLessThan(COMPLEXITY_GUARD_MS * SLOWNESS);
});

it('tells the text with a prefix from the one without', () => {
  const digests = [BASE64, `data:application/pdf;base64,${BASE64}`].map((text) => {
    const pdf = decodePdf(text);
    return pdf.ok && pdf.textDigest;
  });
  expect(digests).toEqual([SHA256.toString('hex'), `data:${SHA256.toString('hex')}`]);
});

it.each([0, 1, 2, 3])('decodes in steps, with a last one of %i bytes more', (more) => {
  const pdf = pdfOf(2 * 48 * 1024 + more);
  expect(decodePdf(pdf.toString('base64'))).toMatchObject({ ok: true, bytes: pdf });
});

it.each([
  ['padding', '='],
  ['a character outside ASCII', 'Ł'],
  ['one that is A in its low byte', '\u0141'],
  ['half a surrogate pair', '\ud83d'],
])('refuses %s at the end of a step', (_, character) => {
  const text = pdfOf(3 * 48 * 1024).toString('base64');
  const at = 64 * 1024 - 1;
  const broken = `${text.slice(0, at)}${character}${text.slice(at + 1)}`;
  expect(decodePdf(broken)).toMatchObject({ ok: false, message: 'is not valid base64' });
});
