import { Refused } from '@offizin/contracts/calls/errors';
import type { OrderStatus } from '@offizin/contracts/orders/orders';
import { type Carrier, MAX_PARCELS, type Parcel } from '@offizin/contracts/orders/parcels';

/** An element of the column `parcels` of an order. An erasure empties number and URL. */
export interface StoredParcel {
  id: string;
  carrier: Carrier;
  /** Once in an order. */
  tracking_number: string | null;
  /** The given one; null where the link is the carrier's. */
  url: string | null;
  /** As `core.iso` writes it. */
  created_at: string;
}

/** The page of each carrier that shows where a parcel is; null for those without a public one. */
const TRACKING_PAGES: Readonly<Record<Carrier, string | null>> = {
  dhl: 'https://www.dhl.de/de/privatkunden/dhl-sendungsverfolgung.html?piececode={number}',
  dpd: 'https://tracking.dpd.de/status/de_DE/parcel/{number}',
  gls: 'https://gls-group.com/DE/de/paketverfolgung?match={number}',
  hermes: 'https://www.myhermes.de/empfangen/sendungsverfolgung/sendungsinformation#{number}',
  ups: 'https://www.ups.com/track?loc=de_DE&tracknum={number}',
  courier: null,
  other: null,
};

/**
 * The column as callers read it. The link is made now, so that a carrier's new address holds for the parcels of before, too.
 */
export function parcelsAsRead(stored: readonly StoredParcel[]): Parcel[] {
  return stored.map(parcelAsRead);
}

export function parcelAsRead({ id, carrier, tracking_number, url, created_at }: StoredParcel): Parcel {
  return { id, carrier, tracking_number, url: url ?? linkOf(carrier, tracking_number), created_at };
}

function linkOf(carrier: Carrier, number: string | null): string | null {
  if (number === null) return null;
  return TRACKING_PAGES[carrier]?.replace('{number}', encodeURIComponent(number)) ?? null;
}

/** What the rules of parcels look at. */
export interface ParcelsOfOrder {
  status: OrderStatus;
  erased_at: Date | null;
  parcels: readonly StoredParcel[];
}

/** The equal parcel of the order; null where it has none and takes it. Throws `Refused` (conflict). */
export function equalParcel(
  { status, erased_at: erasedAt, parcels }: ParcelsOfOrder,
  given: Pick<StoredParcel, 'carrier' | 'tracking_number' | 'url'>,
): StoredParcel | null {
  const same = parcels.find(({ tracking_number: number }) => number === given.tracking_number);
  if (same) {
    if (same.carrier === given.carrier && same.url === given.url) return same;
    throw conflict(
      'The order has a parcel of this number with another carrier or URL: remove it, then add it again.',
    );
  }
  if (erasedAt !== null)
    throw conflict('The customer of this order was erased, so it takes no parcel number.');
  if (status === 'cancelled')
    throw conflict('The order is cancelled, so it takes no parcel: reopen it first.');
  if (parcels.length < MAX_PARCELS) return null;
  throw conflict(`An order has at most ${MAX_PARCELS} parcels: remove one first.`);
}

function conflict(message: string): Refused {
  return new Refused('conflict', message);
}

/** The parcels as one text, for the history and the CSV: `dhl 00340434161094042557, gls 50346007538`. */
export function parcelsText(parcels: readonly StoredParcel[]): string | null {
  const texts = parcels.map(({ carrier, tracking_number: number }) => `${carrier} ${number ?? ''}`.trimEnd());
  return texts.length === 0 ? null : texts.join(', ');
}
