import { createHash } from 'node:crypto';
import { MAX_PDF_BYTES } from '@offizin/contracts/requests/request-documents';
import { COMPLEXITY_GUARD_MS, SLOWNESS } from '@offizin/testkit/test-run';
import { appendUpdate, makePdf, pdfWithObjectStream, signPdf } from '@offizin/testkit/pdf';
import { checkPdf, decodePdf, decodePlainPdf } from './pdf';
import { deflateSync } from 'node:zlib';
import { countPages } from './pdf-pages';
import { signatureOf } from './pdf-signature';

const PDF = makePdf();
const BASE64 = PDF.toString('base64');
const SHA256 = createHash('sha256').update(PDF).digest();

function pdfOf(bytes: number): Buffer {
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(bytes - 9, 0x20)]);
}

/** Every value of six bits occurs in it, and each end needs another padding. */
const ALL = Buffer.concat([PDF, Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))]);
const ENDS = [ALL, ALL.subarray(0, -1), ALL.subarray(0, -2)];

it.each<[string, (pdf: Buffer) => string]>([
  ['plain', (pdf) => pdf.toString('base64')],
  ['without padding', (pdf) => pdf.toString('base64').replace(/=/g, '')],
  ['safe for URLs', (pdf) => pdf.toString('base64url')],
  ['safe for URLs, padded', (pdf) => pdf.toString('base64').replace(/\+/g, '-').replace(/\//g, '_')],
  ['in lines', (pdf) => pdf.toString('base64').replace(/.{1,76}/g, '$&\r\n')],
  ['with white space anywhere', (pdf) => `\t${pdf.toString('base64').split('').join(' \f')}\n`],
  ['after white space and a prefix', (pdf) => ` data:application/pdf;base64, ${pdf.toString('base64')}`],
  ['with a short prefix, safe for URLs', (pdf) => `data:;base64,${pdf.toString('base64url')}`],
  ...[
    'data:application/pdf;base64,',
    'DATA:Application/X-PDF;BASE64,',
    'data:application/octet-stream;base64,',
    'data:application/pdf;name="Rezept (1).pdf";charset=utf-8;base64,',
    'data:application/pdf;\r\n base64,',
  ].map((prefix): [string, (pdf: Buffer) => string] => [
    `after ${prefix}`,
    (pdf) => prefix + pdf.toString('base64'),
  ]),
])('decodes Base64 %s to the same bytes', (_, encode) => {
  for (const pdf of ENDS) {
    const sha256 = createHash('sha256').update(pdf).digest();
    expect(decodePdf(encode(pdf))).toEqual({ ok: true, bytes: pdf, sha256 });
  }
});

it.each([
  ['nothing', '', 1],
  ['only a prefix', 'data:application/pdf;base64,', 29],
  ['only white space', ' \n', 3],
  ['another media type', `data:image/png;base64,${BASE64}`, 5],
  ['a prefix without base64', `data:application/pdf,${BASE64}`, 5],
  ['a character after the prefix', 'data:;base64,JVBE*i0', 18],
  ['a vertical tab', `JVBE\v${BASE64}`, 5],
  ['a space that is not ASCII', `JVBE\u00a0${BASE64}`, 5],
  ['a byte order mark', `\ufeff${BASE64}`, 1],
  ['the other alphabet', 'JVBERi0+-', 9],
  ['the other alphabet, after one that is safe for URLs', 'JVBE_i0/', 8],
  ['a single character at the end', 'JVBERi0xA', 10],
  ['padding in the middle', `JVBERi0=${BASE64}`, 9],
  ['half a padding', 'JVBERi0xLj=', 12],
  ['a padding too much', 'JVBERi0xLjc==', 13],
  ['a padding after whole bytes', 'JVBERi0x=', 9],
  ['bits behind the end', 'JVBE Ri0xLjd=', 12],
  ['bits behind the end without padding', 'JVBERi0xLjd', 11],
  ['a URL', 'https://a.example/rezept.pdf', 6],
])('refuses %s and names the place', (_, text, place) => {
  const { ok, message } = { message: '', ...decodePdf(text) };
  expect([ok, message]).toEqual([false, expect.stringMatching(`^is wrong at character ${place}: `)]);
});

it('takes only the plain form from bytes that are not parsed', () => {
  expect(decodePlainPdf(Buffer.from(BASE64))).toMatchObject({ ok: true, sha256: SHA256 });
  for (const text of [`${BASE64}\n`, 'JVBERi0-', `${BASE64}\\`, `data:;base64,${BASE64}`])
    expect(decodePlainPdf(Buffer.from(text))).toBeNull();
});

it.each(['', '\r\n', 'x'.repeat(1_019)])('takes a header behind other bytes as it came: %j', (before) => {
  const pdf = Buffer.concat([Buffer.from(before), PDF]);
  expect(checkPdf(pdf)).toMatchObject({ ok: true, bytes: pdf });
  expect(decodePdf(pdf.toString('base64'))).toMatchObject({ ok: true, bytes: pdf });
});

it.each(['PDF-1.7', `${'x'.repeat(1_020)}%PDF-1.7`, '%pdf-1.7', '<html>', '%PDF'])(
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

it.each(['base64', 'base64url'] as const)('decodes the largest PDF in linear time: %s', (form) => {
  const text = pdfOf(MAX_PDF_BYTES).toString(form);
  const startedAt = performance.now();
  decodePdf(text);
  expect(performance.now() - startedAt).toBeLessThan(COMPLEXITY_GUARD_MS * SLOWNESS);
});

it.each([0, 1, 2, 3])('decodes in steps, with a last one of %i bytes more', (more) => {
  const pdf = pdfOf(2 * 48 * 1024 + more);
  expect(decodePdf(pdf.toString('base64'))).toMatchObject({ ok: true, bytes: pdf });
});

it.each([
  ['padding', '=', 2],
  ['a character outside ASCII', 'Ł', 1],
  ['one that is A in its low byte', '\u0141', 1],
  ['half a surrogate pair', '\ud83d', 1],
])('refuses %s at the end of a step', (_, character, place) => {
  const text = pdfOf(3 * 48 * 1024).toString('base64');
  const at = 64 * 1024 - 1;
  const broken = `${text.slice(0, at)}${character}${text.slice(at + 1)}`;
  const message = expect.stringMatching(`^is wrong at character ${at + place}: `) as string;
  expect(decodePdf(broken)).toMatchObject({ ok: false, message });
});

const MIB = 1024 * 1024;

function pdf(...objects: (string | Buffer)[]): Buffer {
  const parts = objects.map((object) =>
    typeof object === 'string' ? Buffer.from(object, 'latin1') : object,
  );
  return Buffer.concat([Buffer.from('%PDF-1.7\n'), ...parts]);
}

function objectStream(dictionary: string, data: Buffer): Buffer {
  return pdf(`7 0 obj\n<< /Type /ObjStm ${dictionary} >>\nstream\n`, data, '\nendstream\nendobj\n');
}

describe('the number of pages', () => {
  it('is the number of page objects', () => {
    expect(countPages(makePdf())).toBe(1);
    const pages = Array.from(
      { length: 37 },
      (_, n) => `${n + 3} 0 obj\n<</Type/Page/Parent 2 0 R>>\nendobj\n`,
    );
    expect(countPages(pdf('2 0 obj\n<</Type/Pages/Count 37>>\nendobj\n', ...pages))).toBe(37);
  });

  it.each([1, 2, 250])('is found in an object stream of %s pages', (pages) => {
    expect(countPages(pdfWithObjectStream(pages))).toBe(pages);
  });

  it('is found in an object stream that is not deflated', () => {
    const data = Buffer.from('3 0 4 16 <</Type /Page>> <</Type /Page>>');
    expect(countPages(objectStream('/N 2 /First 9', data))).toBe(2);
  });

  it('counts a rewritten object once, and ignores one that an update replaced with another type', () => {
    expect(countPages(appendUpdate(signPdf(makePdf())))).toBe(1);
    const again = '3 0 obj\n<< /Type /Page /Rotate 90 >>\nendobj\n';
    expect(countPages(Buffer.concat([makePdf(), Buffer.from(again)]))).toBe(1);
    const further = '3 0 obj\nnull\nendobj\n8 0 obj\n<< /Type /Page >>\nendobj\n';
    expect(countPages(Buffer.concat([makePdf(), Buffer.from(further)]))).toBe(1);
  });

  it('ignores names with the same prefix, nested dictionaries and the content of streams', () => {
    const object = pdf(
      '1 0 obj\n<< /Type /Pages >>\nendobj\n2 0 obj\n<< /Type /PageLabel >>\nendobj\n',
      '3 0 obj\n<< /Annots [<< /Type /Annot >>] /Type\n/Page >>\nendobj\n',
      '4 0 obj\n<< /Length 40 >>\nstream\n5 0 obj << /Type /Page >> endobj\nendstream\nendobj\n',
    );
    expect(countPages(object)).toBe(1);
  });

  it.each<[string, Buffer]>([
    ['nothing but a header', pdf()],
    ['an object without end', pdf('1 0 obj\n<< /Type /Catalog >>')],
    [
      'a damaged object stream',
      objectStream('/N 1 /First 4 /Filter /FlateDecode', Buffer.from('no zlib data')),
    ],
    [
      'an object stream with another filter',
      objectStream('/N 1 /First 4 /Filter /LZWDecode', Buffer.from('3 0 x')),
    ],
    ['an object stream without a count', objectStream('/First 4', Buffer.from('3 0 <</Type /Page>>'))],
    ['a count beyond the stream', objectStream('/N 99999999 /First 4', Buffer.from('3 0 <</Type /Page>>'))],
    ['a start beyond the stream', objectStream('/N 1 /First 9999', Buffer.from('3 0 <</Type /Page>>'))],
    ['offsets that do not rise', objectStream('/N 2 /First 8', Buffer.from('3 0 4 0 <</Type /Page>>'))],
    [
      'a stream that inflates to 200 MiB',
      objectStream('/N 1 /First 4 /Filter /FlateDecode', deflateSync(Buffer.alloc(200 * MIB))),
    ],
  ])('is unknown for %s', (_, bytes) => {
    expect(countPages(bytes)).toBeNull();
  });

  const bomb = deflateSync(Buffer.alloc(15 * MIB, ' '));
  it.each<[string, string | Buffer]>([
    ['objects', '1 0 obj\nendobj\n'],
    ['objects without end', '1 0 obj '],
    ['keywords without numbers', ' obj'],
    ['ends', 'endobj '],
    ['streams without end', '1 0 obj stream '],
    ['types', '/Type '],
    ['types within one object', '1 0 obj /Type /Type /Type /Type /Type /Type /Type /Type '],
    ['digits', '1 0 '],
    ['white space', ' '],
    ['small object streams', '1 0 obj<</Type/ObjStm/N 1/First 4>>stream\n1 0 <<>>endstream '],
    [
      'object streams with many objects',
      `1 0 obj<</Type/ObjStm/N 2000/First 14000>>stream\n${'1 0 '.repeat(3500)}endstream `,
    ],
    [
      'deflated streams',
      Buffer.concat([
        Buffer.from('1 0 obj<</Type/ObjStm/N 1/First 4/Filter/FlateDecode>>stream\n'),
        bomb,
        Buffer.from('endstream '),
      ]),
    ],
  ])('takes no quadratic time for 10 MiB of %s', (_, unit) => {
    const bytes = Buffer.alloc(MAX_PDF_BYTES, unit);
    bytes.write('%PDF-');
    const startedAt = performance.now();
    countPages(bytes);
    expect(performance.now() - startedAt).toBeLessThan(COMPLEXITY_GUARD_MS * SLOWNESS);
  });
});

/** Replaces a text in the signed PDF by another of the same length. */
function replaced(pdf: Buffer, from: string, to: string): Buffer {
  const text = pdf.toString('latin1');
  expect(text).toContain(from);
  return Buffer.from(text.replace(from, to.padEnd(from.length)), 'latin1');
}

describe('the embedded signature', () => {
  it('is none without a byte range', () => {
    expect(signatureOf(makePdf())).toBe('none');
    expect(signatureOf(pdfWithObjectStream(3))).toBe('none');
    expect(signatureOf(Buffer.from('%PDF-'))).toBe('none');
  });

  it('is present when it covers the whole file', () => {
    expect(signatureOf(signPdf(makePdf()))).toBe('present');
  });

  it('is present when the last of several covers the whole file', () => {
    expect(signatureOf(signPdf(signPdf(makePdf())))).toBe('present');
  });

  it.each<[string, (signed: Buffer) => Buffer]>([
    ['an incremental update follows it', appendUpdate],
    ['a single byte follows it', (pdf) => Buffer.concat([pdf, Buffer.from('\n')])],
    ['the end is cut off', (pdf) => pdf.subarray(0, pdf.length - 1)],
    ['it does not begin at the start', (pdf) => replaced(pdf, 'Range [0 ', 'Range [1 ')],
    ['its gap is not the contents', (pdf) => replaced(pdf, '/Contents <', '/Contempt <')],
    ['its gap holds more than hex digits', (pdf) => replaced(pdf, '0a1f30820a1f', '0a1f>/X<0a1f')],
    ['its byte range is not a list of four numbers', (pdf) => replaced(pdf, 'Range [0 ', 'Range [x ')],
  ])('is altered when %s', (_, change) => {
    expect(signatureOf(change(signPdf(makePdf())))).toBe('altered');
  });

  it('is altered when the contents are not filled in or empty', () => {
    expect(signatureOf(signPdf(makePdf(), { contents: '0'.repeat(800) }))).toBe('altered');
    expect(signatureOf(signPdf(makePdf(), { contents: '' }))).toBe('altered');
  });

  it('may contain other white space and line breaks', () => {
    const signed = signPdf(makePdf(), { contents: '30 82\n0a 1f'.repeat(20) });
    expect(signatureOf(signed)).toBe('present');
    expect(signatureOf(replaced(signed, '/ByteRange [0 ', '/ByteRange[00 '))).toBe('present');
  });

  it.each<[string, () => Buffer]>([
    ['nothing but byte ranges', () => Buffer.from('/ByteRange [0 1 2 3]'.repeat((10 * MIB) / 20))],
    ['nothing but keywords', () => Buffer.from('/ByteRange'.repeat((10 * MIB) / 10))],
    ['one gap of 10 MiB that 900 ranges name', manyRangesOneGap],
    ['keywords that nearly fit', () => Buffer.from('/ByteRang'.repeat((10 * MIB) / 9))],
  ])('takes no quadratic time for 10 MiB of %s', (_, make) => {
    const pdf = make();
    const startedAt = performance.now();
    signatureOf(pdf);
    expect(performance.now() - startedAt).toBeLessThan(COMPLEXITY_GUARD_MS * SLOWNESS);
  });
});

function manyRangesOneGap(): Buffer {
  const length = 10 * MIB;
  const pdf = Buffer.alloc(length, '0');
  pdf.write('%PDF-1.7 ');
  const gapStart = 100_000;
  pdf.write('/Contents<', gapStart - 9);
  pdf.write('>', length - 2);
  for (let n = 0; n < 900; n += 1) {
    pdf.write(`/ByteRange [0 ${gapStart + n} ${length - 1 - n} ${1 + n}] `, 20 + n * 64);
  }
  return pdf;
}
