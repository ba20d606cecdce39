import { Int, Nested, OneOf, Text, Timestamp } from '../calls/fields';
import { MAX_DOCUMENT_BODY_BYTES } from '../calls/operation';
import { atLeastOneOf, Described } from '../calls/schema';

export const REQUEST_DOCUMENT_KINDS = ['prescription', 'identity', 'other'] as const;
export type RequestDocumentKind = (typeof REQUEST_DOCUMENT_KINDS)[number];
export const DOCUMENT_STATES = ['stored', 'waiting', 'failed'] as const;
export type DocumentState = (typeof DOCUMENT_STATES)[number];
/** Of one request, with that of its payload. */
export const MAX_REQUEST_DOCUMENTS = 5;

/** 10 MiB decoded. See docs/contract.md#sizes */
export const MAX_PDF_BYTES = 10 * 1024 * 1024;
/** More than such a PDF needs, so that a larger one gets a 413 instead of an error about a too long text. */
export const MAX_PDF_BASE64_LENGTH = MAX_DOCUMENT_BODY_BYTES;

const OPTIONAL = { optional: true, nullable: true, minLength: 1 } as const;
const PDF_BASE64 = { ...OPTIONAL, maxLength: MAX_PDF_BASE64_LENGTH } as const;
const PDF_URL = { ...OPTIONAL, maxLength: 2048 } as const;

export const PrescriptionPdf = () =>
  Text({
    ...PDF_BASE64,
    description:
      'A PDF in Base64, also as a data URL; the URL-safe alphabet, missing padding and white space are taken. Null or left out for none',
  });
export const PrescriptionPdfUrl = () =>
  Text({ ...PDF_URL, description: 'HTTPS URL to a PDF; null or left out for none' });

@Described('A document of the payload: pdf_base64 or pdf_url', {
  ...atLeastOneOf('pdf_base64', 'pdf_url'),
  // Also inside a payload, which stores keys that it does not know.
  additionalProperties: false,
})
export class PayloadDocument {
  @OneOf(REQUEST_DOCUMENT_KINDS, { description: 'What it is' }) kind!: RequestDocumentKind;
  @Text({
    ...PDF_BASE64,
    description: 'A PDF in Base64, in every form that prescription_pdf_base64 takes; this or pdf_url',
  })
  pdf_base64?: string | null;
  @Text({ ...PDF_URL, description: 'HTTPS URL to a PDF, which is fetched in the background' })
  pdf_url?: string | null;
  @Text({ ...OPTIONAL, description: 'Shown to the pharmacy; null or left out for none' })
  name?: string | null;
}

export const PayloadDocuments = () =>
  Nested(() => PayloadDocument, {
    list: { minItems: 1, maxItems: MAX_REQUEST_DOCUMENTS },
    optional: true,
    nullable: true,
    description:
      'Documents beside prescription_pdf_base64 or prescription_pdf_url, at most five with it; they are numbered from 2. In a replacement they replace all but number 1; null or left out: those that are there stay',
  });

/** The PDFs in Base64 of a call with a payload. */
export const PAYLOAD_PDFS = [
  ['payload', 'prescription_pdf_base64'],
  ['payload', 'documents', '*', 'pdf_base64'],
] as const;

@Described('A document of an order request: that of its payload, or one that was added')
export class RequestDocument {
  @Int({
    minimum: 1,
    description:
      'Its number in the request: 1 is prescription_pdf_base64 or prescription_pdf_url of the payload, which a later one replaces',
  })
  number!: number;
  @OneOf(REQUEST_DOCUMENT_KINDS, { description: 'What it is' }) kind!: RequestDocumentKind;
  @Text({ nullable: true, description: 'As its sender called it' }) name!: string | null;
  @OneOf(DOCUMENT_STATES, {
    description:
      'stored: it can be read; waiting: still to be fetched from its URL; failed: the fetch was given up',
  })
  state!: DocumentState;
  @Text({ nullable: true, description: 'Hash of the PDF; null until it is stored' }) pdf_sha256!:
    string | null;
  @Int({ nullable: true, description: 'Bytes of the PDF; null until it is stored' }) size_bytes!:
    number | null;
  @Timestamp({ description: 'When it was handed in, in UTC' }) created_at!: string;
}
