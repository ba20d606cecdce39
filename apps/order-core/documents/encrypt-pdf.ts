import type { PdfContent } from './documents.store';
import { encrypt } from '../crypto/encryption';
import { sha256 } from './pdf';
import { countPages } from './pdf-pages';
import { signatureOf } from './pdf-signature';

export function encryptPdf(key: Buffer, bytes: Buffer, documentId: string): PdfContent {
  return {
    sha256: sha256(bytes),
    sizeBytes: bytes.length,
    ciphertext: encrypt(key, bytes, documentId),
    signature: signatureOf(bytes),
    pages: countPages(bytes),
  };
}
