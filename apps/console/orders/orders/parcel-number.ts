import type { Carrier, ParcelBody } from '@offizin/contracts/orders/parcels';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';

/** As the server has it. */
const MAX_PARCELS = 20;

/** The server refuses a parcel of any other order. */
export function takesParcel({ status, erased_at: erasedAt, parcels }: PipelineOrder): boolean {
  return status !== 'cancelled' && erasedAt === null && parcels.length < MAX_PARCELS;
}

/** Of a carrier without a public page the link is typed in. */
export function needsLink(carrier: Carrier | null): boolean {
  return carrier === 'courier' || carrier === 'other';
}

/** Forms that one carrier alone prints; the group is the number. Bare numbers of up to 14 digits are of several. */
const FORMS: readonly (readonly [Carrier, RegExp])[] = [
  // The serial shipping container code of GS1, with DHL's prefix, or the older licence plate.
  ['dhl', /^(00340\d{15}|JJD[0-9A-Z]{10,30})$/],
  // Postal code, number, service and country. The bar code begins with a percent sign, which not every scanner sends.
  ['dpd', /^%?\d{7}(\d{14})\d{6}$/],
  ['hermes', /^(H\d{19})$/],
  ['ups', /^(1Z[0-9A-Z]{16})$/],
];

/** The parcel that the bar code of a label or a typed number names; null where its form names no carrier. */
export function parcelOf(code: string): Pick<ParcelBody, 'carrier' | 'tracking_number'> | null {
  // A scanner may send the kind of the bar code before it.
  const text = code
    .replace(/\s/g, '')
    .toUpperCase()
    .replace(/^\][A-Z]\d/, '');
  for (const [carrier, form] of FORMS) {
    const number = form.exec(text)?.[1];
    if (number !== undefined) return { carrier, tracking_number: number };
  }
  return null;
}
