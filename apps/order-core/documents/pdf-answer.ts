import { type Answer, okBytes } from '@offizin/contracts/operation';

/** A document as its sender made it: nothing of it runs in a browser that shows it, and no cache keeps it. */
export function pdfAnswer(pdf: Buffer, fileName: string): Answer<never> {
  return okBytes(pdf, {
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename="${fileName}.pdf"`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
}
