import { Int, OneOf, Text, Timestamp } from '../calls/fields';
import { MAX_DOCUMENT_BODY_BYTES } from '../calls/operation';
import { Described } from '../calls/schema';

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

export const PDF_URL = { optional: true, nullable: true, minLength: 1, maxLength: 2048 } as const;

@Described('A document of an order request: that of its payload, or one that was added')
export class RequestDocument {
  @Int({
    minimum: 1,
    description: "Its number in the request: 1 is the payload's, which a later payload's replaces",
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
