import { deflateSync } from 'node:zlib';
import { COMPLEXITY_GUARD_MS } from '@offizin/testkit/complexity-guard';
import { makePdf } from '@offizin/testkit/pdf';
import { appendUpdate, pdfWithObjectStream, signPdf } from '@offizin/testkit/pdf-variants';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { countPages } from './pdf-pages';

const MIB = 1024 * 1024;
const MAX_PDF_BYTES = 10 * MIB;

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
