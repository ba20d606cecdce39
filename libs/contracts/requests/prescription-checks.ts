import { Flag, Int, Nested, OneOf, Text, Timestamp } from '../calls/fields';
import { ORDER_REQUEST_STATUSES, type OrderRequestStatus } from './order-requests';
import { Described } from '../calls/schema';

export const PDF_SIGNATURES = ['none', 'present', 'altered'] as const;

/** `used_before` lists the newest uses; withdrawn ones only where there is room. */
export const MAX_USES_SHOWN = 50;

@Described('Another order request with the same PDF or e-prescription')
export class PrescriptionUse {
  @Text({ format: 'uuid', description: 'Id of that request' }) order_request_id!: string;
  @Text() shop_id!: string;
  @OneOf(ORDER_REQUEST_STATUSES, { description: 'Its state' }) status!: OrderRequestStatus;
  @Timestamp({ description: 'When it was handed in, in UTC' }) created_at!: string;
  @Flag({ description: 'Its sender, which also sent this request, has withdrawn it: no reason for doubt' })
  withdrawn!: boolean;
}

@Described('Technical hints for the pharmacist; never a statement of legal validity.')
export class PrescriptionChecks {
  @Text({ nullable: true, description: 'Null while there is no document' }) pdf_sha256!: string | null;
  @Nested(() => PrescriptionUse, {
    list: { maxItems: MAX_USES_SHOWN },
    description:
      'Requests with the same PDF or e-prescription that came earlier, or were approved while this one was open; newest first, withdrawn ones last. Of real shops, or for a test shop of test shops',
  })
  used_before!: PrescriptionUse[];
  @OneOf(PDF_SIGNATURES, {
    nullable: true,
    description:
      'present: an embedded digital signature covers the whole file; altered: it does not cover the whole file. The signature is not verified. null while there is no stored document',
  })
  signature!: (typeof PDF_SIGNATURES)[number] | null;
  @Int({ nullable: true, description: 'Number of pages; null when unknown' }) pages!: number | null;
  @Flag({
    description:
      'Customer, PDF or e-prescription of a request without reference was handed in within the 24 hours before, and not withdrawn',
  })
  duplicate_suspect!: boolean;
}
