import type { HintTexts } from './hints.de';

const SIGNATURES = {
  none: 'No embedded signature',
  present: 'Embedded signature',
  altered: 'Changed after signing',
};

const orderOf = (partner: string | null) =>
  partner === null ? 'An order of your pharmacy' : `An order of another partner (${partner})`;

/** English texts of the hints. */
export const hints: HintTexts = {
  issued: (date, days) =>
    days < 0
      ? `Issued ${date} · is in the future`
      : `Issued ${date} · ${days === 0 ? 'today' : days === 1 ? 'yesterday' : `${days} days ago`}`,
  minor: (day) => `Not yet 18 years old on ${day}`,
  checked: (who, at) => `Prescriber checked by ${who} on ${at}`,
  unchecked: 'Prescriber not yet marked as checked in your pharmacy',
  used: {
    good: () => 'Document handed in for the first time',
    quiet: () => 'Handed in before, withdrawn by its sender',
    red: (times) => `Handed in ${times} × before`,
  },
  reference: {
    amber: (partner) => `${orderOf(partner)} has this reference`,
    red: (partner) => `${orderOf(partner)} has this reference, and name or e-mail are the same`,
  },
  duplicate: { good: 'No duplicate in 24 h', amber: 'Possible duplicate in 24 h' },
  signature: SIGNATURES,
  stock: 'Not enough stock',
  price: 'Price differs from the catalogue',
  payment: {
    given: 'Cash on pick-up was given, but the goods are delivered',
    unpaid: 'Not paid, but the goods are delivered: once approved, the order waits for its payment',
    default: 'Delivery, nothing said about the payment: once approved, the order waits for its payment',
  },
  document: {
    missing: 'No prescription',
    broken: 'No readable prescription',
    locked: 'Prescription needs a password: nothing was read',
    late: 'Prescription not loaded yet: nothing was read',
  },
};
