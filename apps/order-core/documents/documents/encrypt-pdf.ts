import { encrypt } from '../../crypto/encryption';
import type { PdfContent } from './documents.store';
import { countPages } from './pdf-pages';
import { signatureOf } from './pdf-signature';

/** A checked PDF, with the hash that its check computed. */
export interface HashedPdf {
  bytes: Buffer;
  sha256: Buffer;
}

export function encryptPdf(
  key: Buffer,
  { bytes, sha256 }: HashedPdf,
  documentId: string,
  target?: Buffer,
): PdfContent {
  return {
    sha256,
    sizeBytes: bytes.length,
    ciphertext: encrypt(key, bytes, documentId, target),
    signature: signatureOf(bytes),
    pages: countPages(bytes),
  };
}
