import { EraseCustomerBody, EraseCustomerResponse } from '@offizin/contracts/people/customers';
import {
  ApproveBody,
  ApproveResponse,
  ClarificationBody,
  OrderRequestDetail,
  OrderRequestListResponse,
  type OrderRequestSummary,
  RejectBody,
} from '@offizin/contracts/requests/order-request-review';
import {
  CancelOrderRequestBody,
  ExternalOrderEnvelope,
  OrderRequestEnvelope,
  OrderRequestProgress,
  OrderRequestResponse,
  ReplaceResponse,
} from '@offizin/contracts/requests/order-requests';
import { CertificationResponse } from '@offizin/contracts/requests/certification';
import { ExternalOrdersResponse } from '@offizin/contracts/requests/external-orders';
import type { RequestDocument } from '@offizin/contracts/requests/request-documents';
import { OfferBody, OfferMessageBody } from '@offizin/contracts/requests/offers';
import { AddDocumentBody, AddDocumentResponse } from '@offizin/contracts/requests/added-documents';
import {
  Prescription,
  PrescriptionIngestRequest,
  PrescriptionIngestResponse,
  PrescriptionListResponse,
  type PrescriptionSummary,
} from '@offizin/contracts/requests/prescriptions';
import type { RequestOrder } from '@offizin/contracts/requests/partner-answer';
import { RequestProof } from '@offizin/contracts/requests/request-proof';
import {
  CHANGED_AT,
  CREATED_AT,
  CUSTOMER,
  ERASURE_ID,
  example,
  FIRST_OF_MANY,
  INTEGRATION_ID,
  LAST_PAGE,
  KEY_ID,
  LINE,
  LOT,
  ORDER_ID,
  ORG_ID,
  PRESCRIPTION_ID,
  REFERENCE,
  REQUEST_ID,
  SHOP_ID,
  STREET_ADDRESS,
} from './example';
import { ORDER } from './orders';

/** One empty page. */
const PDF_BASE64 = Buffer.from(
  [
    '%PDF-1.4',
    '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
    '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj',
    'trailer<</Root 1 0 R>>',
    '%%EOF\n',
  ].join('\n'),
).toString('base64');
/** Of that page. */
const PDF_SHA256 = '9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab';

const PAYLOAD = {
  ...CUSTOMER,
  ...STREET_ADDRESS,
  patient_birth_date: '1964-08-12',
  prescription_date: '2026-01-30',
  prescriber: { name: 'Dr. med. Ada Arzt', postal_code: '10115', city: 'Berlin', number: '123456601' },
  shipping_option: 'Versand' as const,
  items: [{ ...LINE, quantity: 2, dosage: '1-0-1' }],
  total_amount: 99.9,
};

const ENVELOPE: ExternalOrderEnvelope = {
  external_reference: REFERENCE,
  source: 'telemedicine-platform',
  payload: {
    ...PAYLOAD,
    prescription_pdf_base64: PDF_BASE64,
    documents: [{ kind: 'identity', pdf_base64: PDF_BASE64, name: 'Identity card' }],
  },
  metadata: { consultation: 'C-2026-17' },
};

const RECEIPT: OrderRequestResponse = {
  id: REQUEST_ID,
  status: 'pending',
  message: 'Order request received',
  external_reference: REFERENCE,
};

const SUMMARY: OrderRequestSummary = {
  id: REQUEST_ID,
  status: 'pending',
  shop_id: SHOP_ID,
  source: 'telemedicine-platform',
  integration_id: INTEGRATION_ID,
  integration: 'Telemedicine Platform',
  external_reference: REFERENCE,
  customer_name: CUSTOMER.customer_name,
  total_amount: 99.9,
  order_id: null,
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
};

const FIRST_DOCUMENT: RequestDocument = {
  number: 1,
  kind: 'prescription',
  name: null,
  state: 'stored',
  pdf_sha256: PDF_SHA256,
  size_bytes: Buffer.byteLength(PDF_BASE64, 'base64'),
  created_at: CREATED_AT,
};

const DOCUMENT = {
  ...FIRST_DOCUMENT,
  url: null,
  failure: null,
  fetch_attempts: 0,
  version: 1,
};

const DETAIL: OrderRequestDetail = {
  ...SUMMARY,
  erased_at: null,
  payload: PAYLOAD,
  metadata: { consultation: 'C-2026-17' },
  prescription: DOCUMENT,
  documents: [DOCUMENT],
  checks: { pdf_sha256: PDF_SHA256, used_before: [], signature: 'none', pages: 1, duplicate_suspect: false },
  version: 1,
  versions: [{ number: 1, created_at: CREATED_AT, payload: PAYLOAD, question: null, prescription: DOCUMENT }],
  versions_pagination: LAST_PAGE,
  question: null,
  offer: null,
  corrections: null,
  answer: null,
  order: null,
  reason: null,
  note: null,
};

/** As its sender reads it back. */
export const REQUEST_ORDER: RequestOrder = {
  external_id: REFERENCE,
  status: 'awaiting_packing',
  items: [{ ...LINE, quantity: 1 }],
  total_amount: LINE.price,
  shipping_option: ORDER.shipping_option,
  payment_status: ORDER.payment_status,
  shipped: false,
  picked_up: false,
  parcels: [],
};

const PROGRESS: OrderRequestProgress = {
  ...RECEIPT,
  status: 'approved',
  message: 'The request was approved with changes and became an order. Line 1: quantity 1 instead of 2.',
  order_status: 'awaiting_packing',
  order: REQUEST_ORDER,
  answer: { corrected: true, changes: [{ kind: 'quantity', line: 1, from: 2, to: 1 }] },
  reason: null,
  question: null,
  offer: null,
  documents: [FIRST_DOCUMENT],
  updated_at: CHANGED_AT,
};

const DECIDED_BY = 'staff:0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c30';
const SEAL = 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3c1a2b8d0e6f7a5b4c3d2e1f0';

const PROOF: RequestProof = {
  format: 'offizin-proof-1',
  issued_at: CHANGED_AT,
  issued_to: `key:${KEY_ID}`,
  org_id: ORG_ID,
  shop_id: SHOP_ID,
  request: { id: REQUEST_ID, status: 'approved', reason: null, created_at: CREATED_AT, erased_at: null },
  versions: [
    { number: 1, received_at: CREATED_AT, asked: false, issued_on: '2026-01-30', document_kind: 'private' },
  ],
  documents: [
    {
      number: 1,
      kind: 'prescription',
      version: 1,
      sha256: PDF_SHA256,
      size_bytes: Buffer.byteLength(PDF_BASE64, 'base64'),
      pages: 1,
      received_at: CREATED_AT,
      replaced: false,
    },
  ],
  marks: [{ version: 1, by: DECIDED_BY, at: CHANGED_AT, marks: ['signature_seen'] }],
  decision: {
    by: DECIDED_BY,
    at: CHANGED_AT,
    position: 4711,
    first: null,
    acknowledged: ['hint.used'],
    changes: [{ kind: 'quantity', line: 1, from: 2, to: 1 }],
  },
  order: {
    id: ORDER_ID,
    version: 1,
    status: 'awaiting_packing',
    lines: [{ ...LINE, quantity: 1 }],
    total_amount: LINE.price,
    shipping_option: 'Versand',
    parcels: [],
    lots: [{ line: 1, p1_id: LINE.p1_id, name: LINE.name, ...LOT }],
  },
  audit: {
    entries: [
      {
        position: 4711,
        at: CHANGED_AT,
        actor: DECIDED_BY,
        action: 'order-request.approve',
        object: `order-request:${REQUEST_ID}`,
        seal: SEAL,
      },
    ],
    complete: true,
    sealed_to: 4711,
    seal: SEAL,
  },
  signature:
    'eyJhbGciOiJFZERTQSIsImtpZCI6IjVmM2E5YzAxZDJiNDc4ZTYifQ..N2Q3ZmE1YzQ4YjJhMWU5ZjBkM2M2Yjg3YTlmMWUyZDNjNGI1YTY5Nzg4ZjZlNWQ0YzNiMmExMDA5ZjhlN2Q2Yw',
};

const PRESCRIPTION: PrescriptionSummary = {
  id: PRESCRIPTION_ID,
  shop_id: SHOP_ID,
  external_id: REFERENCE,
  customer_email: CUSTOMER.customer_email,
  customer_first_name: 'Erika',
  customer_last_name: 'Mustermann',
  order_total_amount: 99.9,
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
};

export const REQUEST_EXAMPLES = [
  example(ExternalOrderEnvelope, ENVELOPE),
  example(OrderRequestEnvelope, { ...ENVELOPE, payload: { shop_id: SHOP_ID, ...ENVELOPE.payload } }),
  example(CancelOrderRequestBody, { reason: 'sent_by_mistake', message: 'Entered twice.' }),
  example(AddDocumentBody, { kind: 'identity', pdf_base64: PDF_BASE64, name: 'Identity card' }),
  example(AddDocumentResponse, {
    ...RECEIPT,
    document: { ...FIRST_DOCUMENT, number: 2, kind: 'identity', name: 'Identity card' },
  }),
  example(OrderRequestResponse, RECEIPT),
  example(ReplaceResponse, { ...RECEIPT, documents: [FIRST_DOCUMENT] }),
  example(OrderRequestProgress, PROGRESS),
  example(ExternalOrdersResponse, { data: [PROGRESS], pagination: LAST_PAGE }),
  example(OrderRequestListResponse, { data: [SUMMARY], pagination: { ...FIRST_OF_MANY, next_cursor: null } }),
  example(OrderRequestDetail, DETAIL),
  example(ApproveBody, { version: 1 }),
  example(ApproveResponse, {
    id: REQUEST_ID,
    status: 'approved',
    order_id: ORDER_ID,
    order: { ...ORDER, external_id: REFERENCE, order_request_id: REQUEST_ID },
  }),
  example(RejectBody, {
    version: 1,
    reason: 'prescription_unsigned',
    note: 'Page 1 has no signature',
    message: 'Please send the prescription with the signature of the doctor.',
  }),
  example(OfferBody, {
    version: 1,
    items: [{ ...LINE, qty: 1 }],
    question: 'Only a smaller pack is available: does the customer take it?',
    valid_hours: 24,
  }),
  example(OfferMessageBody, { message: 'The customer agrees.' }),
  example(ClarificationBody, { version: 1, question: 'Which strength does the doctor mean?' }),
  example(RequestProof, PROOF),
  example(CertificationResponse, {
    steps: [
      {
        name: 'submitted',
        text: { de: 'Eine Anfrage gesendet', en: 'Submitted a request' },
        done_at: CREATED_AT,
        request_id: 'trial-1',
      },
      {
        name: 'met_429',
        text: { de: 'Die Antwort 429 erhalten: später noch einmal', en: 'Received a 429: again later' },
        done_at: null,
        request_id: null,
      },
    ],
    complete: false,
    test: true,
  }),
  example(EraseCustomerBody, { email: CUSTOMER.customer_email }),
  example(EraseCustomerResponse, {
    id: ERASURE_ID,
    status: 'done',
    orders: 2,
    order_requests: 1,
    prescriptions: 0,
  }),
  example(PrescriptionIngestRequest, {
    'Customer Email': CUSTOMER.customer_email,
    'Customer First Name': 'Erika',
    'Customer Last Name': 'Mustermann',
    'External Id': REFERENCE,
    'Shop Id': SHOP_ID,
    'Order Total Amount': 99.9,
    'Receipt Pdf Base64': PDF_BASE64,
    'Product 1 Service Product Id': LINE.p1_id,
    'Product 1 Quantity': 2,
    'Product 1 Price': LINE.price,
  }),
  example(PrescriptionIngestResponse, { id: PRESCRIPTION_ID, upsert: 'ok' }),
  example(PrescriptionListResponse, {
    data: [PRESCRIPTION],
    pagination: { ...FIRST_OF_MANY, next_cursor: null },
  }),
  example(Prescription, {
    ...PRESCRIPTION,
    receipt: { state: 'stored', pdf_sha256: PDF_SHA256, failure: null },
    data: { 'Questionnaire Indication': 'Insomnia' },
  }),
];
