import {
  Email,
  FreeObject,
  Money,
  Nested,
  OneOf,
  Quantity,
  QueryText,
  Text,
  Timestamp,
} from '../calls/fields';
import { consoleOperation, operation } from '../calls/operation';
import { MAX_PDF_BASE64_LENGTH } from './request-documents';
import { DeltaQuery, OffsetPagination } from '../calls/paging';
import { atLeastOneOf, Described } from '../calls/schema';
import { TestMark } from '../calls/test-mark';
import {
  AccessCode,
  BirthDate,
  Dosage,
  EPrescription,
  PrescriberNumber,
  PrescriptionDate,
  TaskId,
} from './prescription-fields';

/** Prescriptions from telemedicine platforms: flat bodies with Title Case keys, stored whole and encrypted. */

const MAX_URL_LENGTH = 2048;

/** A form has a few hundred fields; checking and encrypting many more would block the event loop. */
export const MAX_INGEST_VALUES = 2_000;

export const RECEIPT_KEY = 'Receipt Pdf Base64';
export const ACCESS_CODE_KEY = 'E Prescription Access Code';

const PrescriberText = (what: string) =>
  Text({ optional: true, nullable: true, description: `${what} of the prescriber` });

@Described(
  'Keys are Title Case with spaces. Unknown keys are accepted and stored; all values together, those in lists and ' +
    `objects included, are at most ${MAX_INGEST_VALUES}. The same External Id (without one: the same ` +
    'body) from the same shop is the same prescription.',
  atLeastOneOf('Customer Email', 'Customer First Name', 'Customer Last Name'),
)
export class PrescriptionIngestRequest {
  @Email({
    optional: true,
    nullable: true,
    description: 'E-mail address of the customer; this or a name is required',
  })
  'Customer Email'?: string | null;
  @Text({
    optional: true,
    nullable: true,
    description: 'Given name of the customer; null or left out for none',
  })
  'Customer First Name'?: string | null;
  @Text({
    optional: true,
    nullable: true,
    description: 'Family name of the customer; null or left out for none',
  })
  'Customer Last Name'?: string | null;
  @Money({
    optional: true,
    nullable: true,
    description: 'Total of the order in EUR; null or left out for none',
  })
  'Order Total Amount'?: number | null;
  @Text({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: MAX_PDF_BASE64_LENGTH,
    description:
      'HTTPS URL of the receipt PDF, or the PDF in Base64, in every form that prescription_pdf_base64 of an order request takes; null or left out for none',
  })
  'Receipt Pdf Base64'?: string | null;
  @Text({
    optional: true,
    nullable: true,
    maxLength: MAX_URL_LENGTH,
    description: 'HTTPS URL of the ID document; stored, not fetched',
  })
  'Id Card Front Url'?: string | null;
  @Text({ optional: true, nullable: true, description: 'Upsert key within the shop' })
  'External Id'?: string | null;
  @Text({ optional: true, nullable: true, description: 'Optional when passed as query parameter shop_id' })
  'Shop Id'?: string | null;
  @Text({
    optional: true,
    nullable: true,
    maxLength: 10_000,
    description: 'Indication in the words of the questionnaire; null or left out for none',
  })
  'Questionnaire Indication'?: string | null;
  @Text({
    optional: true,
    nullable: true,
    description: 'Catalog product id of the first of up to three products; null or left out for none',
  })
  'Product 1 Service Product Id'?: string | null;
  @Quantity({
    optional: true,
    nullable: true,
    description: 'Pieces of the first of up to three products; null or left out for none',
  })
  'Product 1 Quantity'?: number | null;
  @Money({
    optional: true,
    nullable: true,
    description: 'Price in EUR of one piece of the first of up to three products; null or left out for none',
  })
  'Product 1 Price'?: number | null;
  @Text({
    optional: true,
    nullable: true,
    description: 'Catalog product id of the second of up to three products; null or left out for none',
  })
  'Product 2 Service Product Id'?: string | null;
  @Quantity({
    optional: true,
    nullable: true,
    description: 'Pieces of the second of up to three products; null or left out for none',
  })
  'Product 2 Quantity'?: number | null;
  @Money({
    optional: true,
    nullable: true,
    description: 'Price in EUR of one piece of the second of up to three products; null or left out for none',
  })
  'Product 2 Price'?: number | null;
  @Text({
    optional: true,
    nullable: true,
    description: 'Catalog product id of the third of up to three products; null or left out for none',
  })
  'Product 3 Service Product Id'?: string | null;
  @Quantity({
    optional: true,
    nullable: true,
    description: 'Pieces of the third of up to three products; null or left out for none',
  })
  'Product 3 Quantity'?: number | null;
  @Money({
    optional: true,
    nullable: true,
    description: 'Price in EUR of one piece of the third of up to three products; null or left out for none',
  })
  'Product 3 Price'?: number | null;
  @Dosage() 'Product 1 Dosage'?: string | null;
  @Dosage() 'Product 2 Dosage'?: string | null;
  @Dosage() 'Product 3 Dosage'?: string | null;
  @BirthDate() 'Patient Birth Date'?: string | null;
  @PrescriptionDate() 'Prescription Date'?: string | null;
  @PrescriberText('Full name with titles') 'Prescriber Name'?: string | null;
  @PrescriberText('Street and house number') 'Prescriber Street'?: string | null;
  @PrescriberText('Town') 'Prescriber City'?: string | null;
  @PrescriberText('Postal code') 'Prescriber Postal Code'?: string | null;
  @PrescriberText('Telephone number') 'Prescriber Phone'?: string | null;
  @PrescriberNumber() 'Prescriber Number'?: string | null;
  @TaskId({ optional: true, nullable: true }) 'E Prescription Task Id'?: string | null;
  @AccessCode({ optional: true, nullable: true }) 'E Prescription Access Code'?: string | null;
}

export class PrescriptionIngestQuery {
  @QueryText({ optional: true, description: 'A shop of the organization; must agree with Shop Id' })
  shop_id?: string;
}

@Described('Receipt of a prescription')
export class PrescriptionIngestResponse {
  @Text({ format: 'uuid', description: 'Id of the prescription; the same one again has the same id' })
  id!: string;
  @OneOf(['ok'], { description: 'Always ok: the prescription is stored' }) upsert!: 'ok';
}

export const RECEIPT_STATES = ['stored', 'waiting', 'failed'] as const;

@Described('The receipt PDF of a prescription, and whether it could be fetched')
export class PrescriptionReceipt {
  @OneOf(RECEIPT_STATES, { description: 'waiting: still to be fetched from its URL' })
  state!: (typeof RECEIPT_STATES)[number];
  @Text({ nullable: true }) pdf_sha256!: string | null;
  @Text({ nullable: true, description: 'Why the fetch failed' }) failure!: string | null;
}

@Described('A prescription, as a list shows it')
export class PrescriptionSummary {
  @Text({ format: 'uuid', description: 'Id of the prescription' }) id!: string;
  @Text() shop_id!: string;
  @Text({ nullable: true, description: 'The External Id that it was handed in with' }) external_id!:
    string | null;
  @Text({ nullable: true, description: 'Null after an erasure' }) customer_email!: string | null;
  @Text({
    nullable: true,
    description: 'Given name of the customer; null when none was given, and after an erasure',
  })
  customer_first_name!: string | null;
  @Text({
    nullable: true,
    description: 'Family name of the customer; null when none was given, and after an erasure',
  })
  customer_last_name!: string | null;
  @Money({ nullable: true, description: 'Total in EUR that was handed in' }) order_total_amount!:
    number | null;
  @Timestamp() created_at!: string;
  @Timestamp() updated_at!: string;
  @TestMark() test?: boolean;
}

@Described('A whole prescription')
export class Prescription extends PrescriptionSummary {
  @Nested(() => PrescriptionReceipt, {
    nullable: true,
    description: 'The receipt PDF; null when none was handed in',
  })
  receipt!: PrescriptionReceipt | null;
  @FreeObject({
    description:
      'Every key as it was handed in, except the access code of an e-prescription and a PDF: see receipt.pdf',
  })
  data!: Record<string, unknown>;
}

export class PrescriptionListQuery extends DeltaQuery {
  @QueryText({ optional: true, description: 'A shop of the organization' }) shop_id?: string;
  @Email({ optional: true, description: 'Exact, in any case' }) customer_email?: string;
}

@Described('A page of prescriptions')
export class PrescriptionListResponse {
  @Nested(() => PrescriptionSummary, { list: { maxItems: 200 } }) data!: PrescriptionSummary[];
  @Nested(() => OffsetPagination) pagination!: OffsetPagination;
}

const PATH = '/api/v2/public/orgs/{orgId}/prescriptions';

export const ingestPrescription = operation({
  name: 'prescriptions.ingest',
  summary: 'Hand in a prescription; the same one again is the same id',
  refuses: ['not_found', 'conflict'],
  via: 'http',
  smallOverBus: true,
  access: 'prescriptions.write',
  method: 'POST',
  path: `${PATH}/ingest`,
  query: PrescriptionIngestQuery,
  body: PrescriptionIngestRequest,
  documentFields: [[RECEIPT_KEY]],
  maxBodyValues: MAX_INGEST_VALUES,
  keepsUnknownKeys: true,
  reply: PrescriptionIngestResponse,
});

export const listPrescriptions = operation({
  name: 'prescriptions.list',
  summary: 'List prescriptions, newest first',
  refuses: ['not_found'],
  access: 'prescriptions.read',
  path: PATH,
  query: PrescriptionListQuery,
  narrow: 'Narrow the range (created_from and created_to), or page by cursor.',
  reply: PrescriptionListResponse,
});

/** Over HTTP, because the stored keys may exceed a bus message. */
export const getPrescription = operation({
  name: 'prescriptions.get',
  summary: 'Read a prescription with all its keys',
  via: 'http',
  smallOverBus: true,
  access: 'prescriptions.read',
  path: `${PATH}/{prescriptionId}`,
  reply: Prescription,
});

export const readIngestedToken = consoleOperation({
  name: 'prescriptions.e-prescription',
  summary: 'Read the token of the e-prescription; each look is logged as e-prescription.view',
  refuses: ['not_found'],
  access: 'prescriptions.read',
  path: `${PATH}/{prescriptionId}/e-prescription`,
  reply: EPrescription,
});

export const getReceiptPdf = operation({
  name: 'prescriptions.receipt',
  summary: 'Read the receipt PDF of a prescription',
  via: 'http',
  access: 'prescriptions.read',
  path: `${PATH}/{prescriptionId}/receipt.pdf`,
  reply: 'application/pdf',
});
