import { decrypt, emailHash, encrypt, keyedHash } from '../../crypto/encryption';
import { encryptToken } from '../intake/e-prescription.store';
import { type Ingestion, nameOfReceipt, type PrescriptionSummaryData } from './ingestion';
import type { EncryptedPrescription } from './prescriptions.store';

export function encryptPrescription(
  dataKey: Buffer,
  ingestion: Ingestion,
  row: { id: string; shopId: string },
): EncryptedPrescription {
  const { externalId, identity, receipt, customerEmail, totalAmount, ePrescription } = ingestion;
  const bodyDigest = keyedHash(dataKey, 'prescription body', identity);
  return {
    ...row,
    upsertKey: externalId === null ? bodyDigest : keyedHash(dataKey, 'external id', externalId),
    bodyDigest,
    receiptDigest: receipt && keyedHash(dataKey, 'receipt', nameOfReceipt(receipt)),
    emailHash: customerEmail === null ? null : emailHash(dataKey, customerEmail),
    totalAmount,
    ePrescriptionCiphertext: ePrescription && encryptToken(dataKey, ePrescription, row.id),
    ...encryptContent(dataKey, row.id, ingestion),
  };
}

export interface PrescriptionContent {
  summary: PrescriptionSummaryData;
  data: Record<string, unknown>;
}

/** Each ciphertext is bound to its row and column. */
export function encryptContent(
  dataKey: Buffer,
  id: string,
  { summary, data }: PrescriptionContent,
): Pick<EncryptedPrescription, 'summaryCiphertext' | 'bodyCiphertext'> {
  return {
    summaryCiphertext: encrypt(dataKey, Buffer.from(JSON.stringify(summary)), `${id}:summary`),
    bodyCiphertext: encrypt(dataKey, Buffer.from(JSON.stringify(data)), `${id}:body`),
  };
}

export function decryptSummary(dataKey: Buffer, id: string, ciphertext: Buffer): PrescriptionSummaryData {
  return JSON.parse(decrypt(dataKey, ciphertext, `${id}:summary`).toString()) as PrescriptionSummaryData;
}

export function decryptBody(dataKey: Buffer, id: string, ciphertext: Buffer): Record<string, unknown> {
  return JSON.parse(decrypt(dataKey, ciphertext, `${id}:body`).toString()) as Record<string, unknown>;
}
