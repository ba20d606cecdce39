import { Refused } from '@offizin/contracts/errors';
import { acceptedType } from '@offizin/runtime/accepted-type';

/** The media types of a report; JSON where a caller likes both the same. */
const FORMATS = { 'application/json': 'json', 'text/csv': 'csv' } as const;
const TYPES = ['application/json', 'text/csv'] as const;
export type ReplyFormat = (typeof FORMATS)[(typeof TYPES)[number]];

/** Chooses by the header Accept. Throws `Refused` (not_acceptable). */
export function replyFormat(accept: string | undefined): ReplyFormat {
  const type = acceptedType(accept, TYPES);
  if (type !== null) return FORMATS[type];
  throw new Refused('not_acceptable', 'A report is application/json or text/csv: accept one of them.');
}
