import { QueryText } from '../calls/fields';

/** The filter `q` of every list of orders. */
export function OrderWords() {
  return QueryText({
    optional: true,
    description:
      'Words of customer name or products, beginning of e-mail or external id, part of the order number. ' +
      'Case, accents and ü for ue make no difference',
  });
}
