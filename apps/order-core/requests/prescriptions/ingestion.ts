import { createHash } from 'node:crypto';
import { invalid, type Problem, Refused } from '@offizin/contracts/calls/errors';
import type { HandedInDocument } from '@offizin/contracts/calls/operation';
import type { EPrescription } from '@offizin/contracts/requests/prescription-fields';
import {
  ACCESS_CODE_KEY,
  type PrescriptionIngestRequest,
  RECEIPT_KEY,
} from '@offizin/contracts/requests/prescriptions';
import { canonicalJson } from '@offizin/runtime/canonical-json';
import { decodePdf, isHttpsWithoutCredentials } from '../../documents/documents/pdf';
import type { SentDocument } from '../../documents/documents/sent-documents';

export interface Ingestion {
  externalId: string | null;
  customerEmail: string | null;
  totalAmount: number | null;
  summary: PrescriptionSummaryData;
  /** Every received key, unknown ones included, without a PDF and the access code. */
  data: Record<string, unknown>;
  /** Equal texts mean the same prescription. The shop is not part of it; the key holds the shop. */
  identity: string;
  receipt: SentDocument | null;
  ePrescription: EPrescription | null;
}

/** The hash of a PDF, or the received URL. */
export function nameOfReceipt(receipt: SentDocument): string {
  return receipt.kind === 'pdf' ? receipt.pdf.sha256.toString('hex') : receipt.url;
}

export interface PrescriptionSummaryData {
  external_id: string | null;
  customer_email: string | null;
  customer_first_name: string | null;
  customer_last_name: string | null;
}

const MAX_URL_LENGTH = 2048;
const HTTPS_URL = `must be an https URL without credentials, of at most ${MAX_URL_LENGTH} characters`;

/** The shop of an ingest, given by the query, the body or both. Throws `Refused`. */
export function shopOfIngest(body: PrescriptionIngestRequest, fromQuery: string | undefined): string {
  const fromBody = body['Shop Id'] || undefined;
  if (fromQuery !== undefined && fromBody !== undefined && fromQuery !== fromBody) {
    throw invalid([{ field: 'Shop Id', message: 'does not agree with the query parameter shop_id' }]);
  }
  const shopId = fromQuery ?? fromBody;
  if (shopId !== undefined) return shopId;
  throw invalid([{ field: 'Shop Id', message: 'is required, here or as the query parameter shop_id' }]);
}

/**
 * Checks the rules that span several fields. `document` is set when it was already extracted from the body. Throws
 * `Refused` with every violation.
 */
export function checkIngestion(
  body: PrescriptionIngestRequest,
  document?: HandedInDocument | null,
  takesUrl = isHttpsWithoutCredentials,
): Ingestion {
  const problems: Problem[] = [];
  const { 'Customer First Name': first, 'Customer Last Name': last, 'Customer Email': email } = body;
  if (!email && !first?.trim() && !last?.trim())
    problems.push({ field: 'Customer Email', message: 'is required unless a name is given' });
  const { 'E Prescription Task Id': taskId, [ACCESS_CODE_KEY]: accessCode } = body;
  if (!taskId !== !accessCode) {
    const field = taskId ? ACCESS_CODE_KEY : 'E Prescription Task Id';
    problems.push({ field, message: 'is required: task id and access code come together' });
  }
  const idCard = body['Id Card Front Url'];
  if (idCard && !takesUrl(idCard)) {
    problems.push({ field: 'Id Card Front Url', message: HTTPS_URL });
  }
  const receipt = document
    ? receiptPdf(document, problems)
    : receiptOf(body[RECEIPT_KEY], problems, takesUrl);
  if (problems.length > 0) throw invalid(problems);
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  const sent = Object.fromEntries(given.filter(([key]) => key !== RECEIPT_KEY || receipt?.kind === 'url'));
  const { [ACCESS_CODE_KEY]: _code, ...data } = sent;
  const externalId = body['External Id'] || null;
  return {
    externalId,
    customerEmail: email ?? null,
    totalAmount: body['Order Total Amount'] ?? null,
    summary: {
      external_id: externalId,
      customer_email: email ?? null,
      customer_first_name: first ?? null,
      customer_last_name: last ?? null,
    },
    data,
    identity: identityOf(sent, receipt),
    receipt,
    ePrescription: taskId && accessCode ? { task_id: taskId, access_code: accessCode } : null,
  };
}

function receiptOf(
  text: string | null | undefined,
  problems: Problem[],
  takesUrl: typeof isHttpsWithoutCredentials,
): SentDocument | null {
  if (!text) return null;
  const mayBeUrl = text.length <= MAX_URL_LENGTH;
  if (mayBeUrl && takesUrl(text)) return { kind: 'url', url: text };
  // Base64 has no colon; a data URL is handled by the decoder.
  if (text.slice(0, 200).includes('://')) {
    problems.push({ field: RECEIPT_KEY, message: HTTPS_URL });
    return null;
  }
  return receiptPdf(decodePdf(text), problems);
}

function receiptPdf(pdf: HandedInDocument, problems: Problem[]): SentDocument | null {
  if (pdf.ok) return { kind: 'pdf', pdf };
  if (pdf.tooLarge) throw new Refused('payload_too_large', `${RECEIPT_KEY} ${pdf.message}.`);
  problems.push({ field: RECEIPT_KEY, message: `${pdf.message}; an https URL is taken, too` });
  return null;
}

/** Leaves out the shop, which may come by query or body; a large receipt is represented by its hash. */
function identityOf(data: Record<string, unknown>, receipt: SentDocument | null): string {
  const { 'Shop Id': _shop, ...rest } = data;
  if (!receipt) return canonicalJson(rest);
  const name = nameOfReceipt(receipt);
  const hash = receipt.kind === 'pdf' ? name : createHash('sha256').update(name).digest('hex');
  return canonicalJson({ ...rest, [RECEIPT_KEY]: hash });
}
