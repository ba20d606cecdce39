import { Flag, Int, Nested, Text, Timestamp } from '../calls/fields';
import { MAX_DOCUMENT_BODY_BYTES, operation } from '../calls/operation';
import { Described } from '../calls/schema';
import { MAX_ORDER_ITEMS } from '../orders/orders';
import { MAX_PDF_BYTES, MAX_REQUEST_DOCUMENTS } from './request-documents';

/** What a partner reads of the shop at whose address it calls, and of its key. */

@Described('What one integration key may send')
export class PartnerLimits {
  @Int({ description: 'Requests per second, at all shops together' }) requests_per_second!: number;
  @Int({ description: 'Requests in one burst, after a pause' }) requests_burst!: number;
  @Int({ description: 'Requests for products per second, which count apart' }) products_per_second!: number;
  @Int({ description: 'Bytes of a body' }) body_bytes!: number;
  @Int({ description: 'Bytes of one PDF, decoded' }) pdf_bytes!: number;
  @Int({ description: 'Documents of one order request' }) documents!: number;
  @Int({ description: 'Lines of one order request' }) items!: number;
}

/** Those that no configuration changes. */
export const FIXED_LIMITS = {
  body_bytes: MAX_DOCUMENT_BODY_BYTES,
  pdf_bytes: MAX_PDF_BYTES,
  documents: MAX_REQUEST_DOCUMENTS,
  items: MAX_ORDER_ITEMS,
} as const satisfies Partial<PartnerLimits>;

@Described('The shop of the address, as its partner sees it')
export class PartnerShop {
  @Text({ description: 'Name of the shop' }) name!: string;
  @Flag({ description: 'A test shop: it decides requests by their reference, and nothing in it is real' })
  is_test!: boolean;
  @Timestamp({
    nullable: true,
    description: 'When the key of the call ends, in UTC, by its expiry or after a rotation; null for never',
  })
  key_expires_at!: string | null;
  @Nested(() => PartnerLimits, { description: 'What the key of the call may send' }) limits!: PartnerLimits;
}

export const readPartnerShop = operation({
  name: 'shops.read-external',
  summary: 'Read the name of the shop, when the key ends, and the limits',
  service: 'connector-edge',
  access: 'connector',
  path: '/api/v1/shop',
  reply: PartnerShop,
});
