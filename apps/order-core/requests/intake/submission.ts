import { createHash } from 'node:crypto';
import { invalid, type Problem, Refused } from '@offizin/contracts/calls/errors';
import type { MetadataChange } from '@offizin/contracts/calls/metadata';
import { exactMoney } from '@offizin/contracts/calls/money';
import type { HandedInDocument, HandedInDocuments } from '@offizin/contracts/calls/operation';
import { fieldsOf } from '@offizin/contracts/calls/schema';
import {
  type OrderRequestEnvelope,
  OrderRequestLineItem,
  OrderRequestPayload,
} from '@offizin/contracts/requests/order-requests';
import { MAX_REQUEST_DOCUMENTS, PayloadDocument } from '@offizin/contracts/requests/request-documents';
import { type EPrescription, Prescriber } from '@offizin/contracts/requests/prescription-fields';
import { canonicalJson } from '@offizin/runtime/canonical-json';
import { truncateName } from '@offizin/runtime/truncate';
import { decodePdf, isHttpsWithoutCredentials } from '../../documents/documents/pdf';
import type { SentDocument, SentDocumentOfCall } from '../../documents/documents/sent-documents';
import { sumOfLines } from '../../orders/orders/order-patch';
import { quantityProblems } from '../../orders/stock/stock-lines';
import { linesTextOf } from './list-columns';

export interface Submission {
  externalReference: string | null;
  source: string;
  customerName: string | null;
  /** Identifies requests of the same customer. */
  customer: { email: string } | { name: string };
  totalAmount: number;
  /** Values of the review list (list-columns.ts). */
  list: { lineNames: string[]; linesText: string; lineCount: number; shippingOption: string | null };
  /** The received payload with unknown keys, without the documents and the access code. */
  payload: Record<string, unknown>;
  digest: Buffer;
  /** As it was given. */
  metadata: MetadataChange | null | undefined;
  ePrescription: EPrescription | null;
  documents: SentDocumentOfCall[];
}

/** How documents are read: `handedIn` are those that were already extracted from the body. */
export interface DocumentRules {
  handedIn?: HandedInDocuments | undefined;
  takesUrl: (url: string) => boolean;
}
const IN_THE_BODY: DocumentRules = { takesUrl: isHttpsWithoutCredentials };

/** Checks the rules that span several fields. Throws `Refused` with every violation. */
export function checkSubmission(
  envelope: OrderRequestEnvelope,
  payload: OrderRequestPayload,
  shopId: string,
  rules = IN_THE_BODY,
): Submission {
  const documents = documentsIn(payload, rules);
  const { e_prescription: ePrescription = null } = payload;
  const hasPrescription = documents.some(({ kind }) => kind === 'prescription') || ePrescription !== null;
  const problems = [...customerProblems(payload), ...lineProblems(payload, hasPrescription)];
  if (problems.length > 0)
    throw invalid(problems.map(({ field, message }) => ({ field: `payload.${field}`, message })));
  const source = envelope.source ?? `shop:${shopId}`;
  const stored: Record<string, unknown> = withExactMoney(envelope.payload);
  delete stored['prescription_pdf_base64'];
  delete stored['documents'];
  if (ePrescription) stored['e_prescription'] = { task_id: ePrescription.task_id };
  const lines = linesOf(payload);
  const { external_reference: externalReference = null, metadata } = envelope;
  const { customer_name: customerName = null, shipping_option: shippingOption = null } = payload;
  const lineNames = lines.flatMap(({ name, p1_id }) => name ?? p1_id ?? []);
  return {
    externalReference,
    source,
    customerName,
    customer: customerOf(payload),
    totalAmount: payload.total_amount ?? sumOfLines(lines, 'payload.items'),
    list: { lineNames, linesText: linesTextOf(lines), lineCount: lines.length, shippingOption },
    payload: stored,
    digest: digestOfSent({ ...envelope, source }, contentOfSent(documents)),
    metadata,
    ePrescription,
    documents,
  };
}

/** Lines in the form that an order stores; `product_id` is an alias for `p1_id`. */
export function linesOf(
  payload: Pick<OrderRequestPayload, 'items'>,
): { p1_id: string | null; name: string | null; quantity: number; price: number }[] {
  return (payload.items ?? []).map((item) => ({
    p1_id: item.p1_id ?? item.product_id ?? null,
    name: item.name ?? null,
    quantity: item.quantity,
    price: item.price,
  }));
}

/** Names are not unique, so a name identifies a customer only without an e-mail address. */
function customerOf({
  customer_email: email,
  customer_name: name,
}: OrderRequestPayload): Submission['customer'] {
  if (email) return { email };
  return { name: (name ?? '').normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase() };
}

function customerProblems(payload: OrderRequestPayload): Problem[] {
  if (payload.customer_name?.trim() || payload.customer_email) return [];
  return [{ field: 'customer_name', message: 'is required unless customer_email is given' }];
}

export function lineProblems(
  payload: Pick<OrderRequestPayload, 'items'>,
  hasPrescription: boolean,
): Problem[] {
  const items = payload.items ?? [];
  if (items.length === 0 && !hasPrescription) {
    return [{ field: 'items', message: 'is required unless a prescription is handed in' }];
  }
  const unnamed = items.flatMap((item, index): Problem[] => {
    const { name, p1_id: id, product_id: alias } = item;
    if (!name?.trim() && !id && !alias)
      return [{ field: `items[${index}]`, message: 'needs one of name, p1_id, product_id' }];
    if (id && alias && id !== alias)
      return [
        { field: `items[${index}].product_id`, message: 'is an alias of p1_id, which has another value' },
      ];
    return [];
  });
  return [...unnamed, ...quantityProblems(linesOf(payload))];
}

/** The first one, and the list. Throws `Refused`. */
function documentsIn(payload: OrderRequestPayload, rules: DocumentRules): SentDocumentOfCall[] {
  const { prescription_pdf_base64: base64, prescription_pdf_url: url, documents } = payload;
  const prefix = 'payload.prescription_';
  const pdf = handedInPdf(`${prefix}pdf_base64`, base64, rules);
  const prescription = sentDocument(pdf, url, { prefix, takesUrl: rules.takesUrl });
  const first: SentDocumentOfCall[] = prescription
    ? [{ role: 'first', kind: 'prescription', name: null, sent: prescription }]
    : [];
  const listed = documents ?? [];
  const unknown = listed.flatMap((document, index) => unknownFields(document, `payload.documents[${index}]`));
  const message = `must have at most ${MAX_REQUEST_DOCUMENTS - 1} entries beside another PDF of the payload`;
  const tooMany = first.length + listed.length > MAX_REQUEST_DOCUMENTS;
  const problems = tooMany ? [...unknown, { field: 'payload.documents', message }] : unknown;
  if (problems.length > 0) throw invalid(problems);
  return [
    ...first,
    ...listed.map((document, index): SentDocumentOfCall => {
      const { kind, name = null } = document;
      return {
        role: 'listed',
        kind,
        name,
        sent: oneDocument(document, `payload.documents[${index}].`, rules),
      };
    }),
  ];
}

const DOCUMENT_FIELDS = fieldsOf(PayloadDocument);

/** A payload keeps keys that it does not know, but a document has nowhere to keep them. */
function unknownFields(document: PayloadDocument, path: string): Problem[] {
  const names = Object.keys(document).filter((name) => !DOCUMENT_FIELDS.has(name));
  return names.map((name) => ({
    field: `${path}.${truncateName(name)}`,
    message: 'is not a known field',
  }));
}

/** Exactly one of both fields; `prefix` is that of their names. Throws `Refused`. */
export function oneDocument(
  { pdf_base64: base64, pdf_url: url }: PayloadDocument,
  prefix: string,
  rules: DocumentRules,
): SentDocument {
  const field = `${prefix}pdf_base64`;
  const pdf = handedInPdf(field, base64, rules);
  const sent = pdf && url ? null : sentDocument(pdf, url, { prefix, takesUrl: rules.takesUrl });
  if (sent) return sent;
  throw invalid([{ field, message: 'is required, or pdf_url: exactly one of them' }]);
}

function handedInPdf(
  field: string,
  base64: string | null | undefined,
  { handedIn }: DocumentRules,
): HandedInDocument | null {
  return handedIn?.get(field) ?? (base64 ? decodePdf(base64) : null);
}

/** Without known fields that are null, which is as good as left out. */
function saidIn(dto: new () => object): (sent: object) => object {
  const known = fieldsOf(dto);
  return (sent) =>
    Object.fromEntries(Object.entries(sent).filter(([key, value]) => value !== null || !known.has(key)));
}
const saidInPayload = saidIn(OrderRequestPayload);
const saidInLine = saidIn(OrderRequestLineItem);
const saidInPrescriber = saidIn(Prescriber);

/** A checked payload without binary noise in its amounts: 0.30000000000000004 is 0.3. */
function withExactMoney(payload: object): Record<string, unknown> {
  const { total_amount: total, items } = payload as OrderRequestPayload;
  return {
    ...payload,
    ...(total && { total_amount: exactMoney(total) }),
    ...(items && { items: items.map((item) => ({ ...item, price: exactMoney(item.price) })) }),
  };
}

/** The documents in the digest of a payload: hashes of PDFs in place of their megabytes of text. */
export interface DocumentContent {
  prescription_pdf_base64?: string;
  documents?: ListedContent[];
}
type ListedContent = Pick<SentDocumentOfCall, 'kind'> & { name?: string } & (
    { pdf: string } | { pdf_url: string }
  );

/** The first one as a URL is in the payload itself. */
export function contentOfSent(documents: readonly SentDocumentOfCall[]): DocumentContent {
  const first = documents.find(({ role }) => role === 'first')?.sent;
  const listed = documents.filter(({ role }) => role === 'listed');
  return {
    ...(first?.kind === 'pdf' && { prescription_pdf_base64: first.pdf.sha256.toString('hex') }),
    ...(listed.length > 0 && { documents: listed.map(listedContentOf) }),
  };
}

function listedContentOf({ kind, name, sent }: SentDocumentOfCall): ListedContent {
  const content = sent.kind === 'pdf' ? { pdf: sent.pdf.sha256.toString('hex') } : { pdf_url: sent.url };
  return { kind, ...(name !== null && { name }), ...content };
}

/** The digest of a checked payload, with `content` in place of its documents. */
export function digestOfSent(
  { source, payload, metadata }: Pick<OrderRequestEnvelope, 'source' | 'payload' | 'metadata'>,
  content: DocumentContent,
): Buffer {
  // A request without metadata has the digest that it had before there were any.
  const given = metadata ? { metadata } : {};
  const exact = withExactMoney(payload);
  const { items, prescriber } = exact as OrderRequestPayload;
  const said = {
    ...saidInPayload(exact),
    ...(items && { items: items.map(saidInLine) }),
    ...(prescriber && { prescriber: saidInPrescriber(prescriber) }),
    ...content,
  };
  return createHash('sha256')
    .update(canonicalJson({ source, payload: said, ...given }))
    .digest();
}

/** `prefix` is that of the names of its fields. Throws `Refused`. */
export function sentDocument(
  pdf: HandedInDocument | null,
  url: string | null | undefined,
  { prefix, takesUrl }: { prefix: string; takesUrl: (url: string) => boolean },
): SentDocument | null {
  if (pdf) {
    if (pdf.ok) return { kind: 'pdf', pdf };
    if (pdf.tooLarge) throw new Refused('payload_too_large', `The PDF ${pdf.message}.`);
    throw invalid([{ field: `${prefix}pdf_base64`, message: pdf.message }]);
  }
  if (!url) return null;
  if (takesUrl(url)) return { kind: 'url', url };
  throw invalid([{ field: `${prefix}pdf_url`, message: 'must be an https URL without credentials' }]);
}
