import type { Texts } from '../text/de';
import type { Formats } from '../text/formats';
import type { Hint } from './hints';

/** A hint as a sentence. */
export function hintText(hint: Hint, { requests: { hints } }: Texts, formats: Formats): string {
  switch (hint.kind) {
    case 'name':
    case 'duplicate':
      return hints[hint.kind][hint.tone];
    case 'issued':
      return hints.issued(formats.date(hint.on), hint.ageDays);
    case 'medicines':
      return hints.medicines(hint.found, hint.all);
    case 'used':
      return hints.used(hint.times);
    case 'signature':
      return hints.signature[hint.signature];
    default:
      return hints[hint.kind];
  }
}
