import { Nested } from '../calls/fields';
import { operation } from '../calls/operation';
import { atLeastOneOf, Described } from '../calls/schema';
import { CONNECTOR_PATH, ORDER_REQUESTS_PATH, OrderRequestResponse } from './order-requests';
import { PayloadDocument, RequestDocument } from './request-documents';

/** Documents that the sender of an order request hands in after it. */

@Described(
  'One more document of an undecided order request: pdf_base64 or pdf_url',
  atLeastOneOf('pdf_base64', 'pdf_url'),
)
export class AddDocumentBody extends PayloadDocument {}

@Described('Receipt of a document')
export class AddDocumentResponse extends OrderRequestResponse {
  @Nested(() => RequestDocument, { description: 'The document as it is kept' }) document!: RequestDocument;
}

/** The same document again is no other: 200. */
const addition = {
  service: 'order-core',
  via: 'http',
  statuses: [201, 200],
  refuses: ['already_decided', 'conflict'],
  documentFields: [['pdf_base64']],
  body: AddDocumentBody,
  reply: AddDocumentResponse,
  method: 'POST',
} as const;
export const addExternalDocument = operation({
  ...addition,
  name: 'order-requests.add-document-external',
  summary: 'Add a document to an undecided order request: it becomes the next version',
  access: 'connector',
  path: `${CONNECTOR_PATH}/{requestId}/documents`,
});

export const addDocument = operation({
  ...addition,
  name: 'order-requests.add-document',
  summary: 'Add a document to an undecided order request that was handed in directly',
  smallOverBus: true,
  access: 'order_requests.write',
  path: `${ORDER_REQUESTS_PATH}/{requestId}/documents`,
});
