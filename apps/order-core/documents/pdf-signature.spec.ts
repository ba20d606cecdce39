import { COMPLEXITY_GUARD_MS } from '@offizin/testkit/complexity-guard';
import { makePdf } from '@offizin/testkit/pdf';
import { appendUpdate, pdfWithObjectStream, signPdf } from '@offizin/testkit/pdf-variants';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { signatureOf } from './pdf-signature';

const MIB = 1024 * 1024;

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
    ['its byte range is no list of four numbers', (pdf) => replaced(pdf, 'Range [0 ', 'Range [x ')],
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
