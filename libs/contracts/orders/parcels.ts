import { MAX_TEXT_LENGTH, OneOf, Ruled, Text, Timestamp } from '../calls/fields';
import { operation } from '../calls/operation';
import { Described } from '../calls/schema';

/** The parcels of an order. They are a part of it: each change makes its next version, and no parcel moves the status. */

export const CARRIERS = ['dhl', 'dpd', 'gls', 'hermes', 'ups', 'courier', 'other'] as const;
export type Carrier = (typeof CARRIERS)[number];

/** Parcels of one order. */
export const MAX_PARCELS = 20;
export const MAX_TRACKING_NUMBER_LENGTH = 40;
export const MAX_PARCEL_URL_LENGTH = 500;

/** ASCII only, and tested before the capitals are made: those of `ß` would be SS. */
const NUMBER = /^[A-Za-z0-9-]{4,40}$/;

/** As it is stored: in capitals, without the blanks that a label puts between groups. Null for any other text. */
export function trackingNumberOf(text: string): string | null {
  const number = text.replace(/\s/g, '');
  return text.length <= MAX_TEXT_LENGTH && NUMBER.test(number) ? number.toUpperCase() : null;
}

const PUBLIC_NAME = /^(?:[^.]+\.)+([a-z][a-z0-9-]*)\.?$/;
/** Endings of names that no public resolver knows. Sources: RFC 6761, RFC 6762 (section 3, appendix G), RFC 7686, RFC 8375. */
const INTERNAL_ENDINGS = new Set(
  'localhost test invalid example local intranet internal private corp home lan onion arpa'.split(' '),
);

/**
 * As it is stored: https at a host with a public name. Null for any other text. Only people follow it: no process of ours
 * resolves the name or fetches the page, so what the name leads to is not checked.
 */
export function parcelUrlOf(text: string): string | null {
  // The parser drops tabs and line breaks, and takes a backslash for a slash.
  if (text.length > MAX_PARCEL_URL_LENGTH || /[\s\p{Cc}\p{Cf}\\]/u.test(text) || !URL.canParse(text))
    return null;
  const url = new URL(text);
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') return null;
  const [, ending] = PUBLIC_NAME.exec(url.hostname) ?? [];
  if (ending === undefined || INTERNAL_ENDINGS.has(ending)) return null;
  // Letters that are not ASCII take more characters in it.
  return url.href.length <= MAX_PARCEL_URL_LENGTH ? url.href : null;
}

@Described('A parcel of an order')
export class Parcel {
  @Text({ description: 'Id of the parcel' }) id!: string;
  @OneOf(CARRIERS, { description: 'Who carries it' }) carrier!: Carrier;
  @Text({
    nullable: true,
    maxLength: MAX_TRACKING_NUMBER_LENGTH,
    description: "The carrier's number of the parcel, of `A-Z`, `0-9` and `-`; null after an erasure",
  })
  tracking_number!: string | null;
  @Text({
    nullable: true,
    maxLength: MAX_PARCEL_URL_LENGTH,
    description:
      "Page that shows where the parcel is: the given one, else the carrier's; null for courier and other without one, and after an erasure",
  })
  url!: string | null;
  @Timestamp({ description: 'When it was added, in UTC' }) created_at!: string;
}

@Described(
  'The same parcel again is a 200 and changes nothing; its number with another carrier or URL is a 409.',
)
export class ParcelBody {
  @OneOf(CARRIERS, { description: 'Who carries it; courier: a messenger without a page of its own' })
  carrier!: Carrier;
  @Ruled(
    (text) => trackingNumberOf(text) !== null,
    'must have 4 to 40 of A-Z, 0-9 and -; blanks between them are dropped',
    { maxLength: MAX_TEXT_LENGTH },
    { description: "The carrier's number of the parcel; stored in capitals and without blanks" },
  )
  tracking_number!: string;
  @Ruled(
    (text) => parcelUrlOf(text) !== null,
    `must be an https URL with a public host name and no user name, of at most ${MAX_PARCEL_URL_LENGTH} characters`,
    { maxLength: MAX_PARCEL_URL_LENGTH },
    {
      optional: true,
      nullable: true,
      description:
        "Page that shows where the parcel is, where it is not the carrier's usual one; never fetched",
    },
  )
  url?: string | null;
}

const PARCELS = '/api/v2/public/orgs/{orgId}/orders/{orderId}/parcels';

export const addParcel = operation({
  name: 'orders.add-parcel',
  summary: `Add a parcel to an order that is not cancelled; an order has at most ${MAX_PARCELS}`,
  refuses: ['conflict'],
  access: 'orders.write',
  method: 'POST',
  path: PARCELS,
  body: ParcelBody,
  reply: Parcel,
  statuses: [201, 200],
});

export const removeParcel = operation({
  name: 'orders.remove-parcel',
  summary: 'Remove a parcel from an order',
  access: 'orders.write',
  method: 'DELETE',
  path: `${PARCELS}/{parcelId}`,
  statuses: [204],
});
