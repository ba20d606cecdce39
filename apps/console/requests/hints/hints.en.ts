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
  name: { good: 'Name stands in the document', amber: 'Name not found in the document' },
  issued: (date, days) =>
    days < 0
      ? `Issued ${date} · is in the future`
      : `Issued ${date} · ${days === 0 ? 'today' : days === 1 ? 'yesterday' : `${days} days ago`}`,
  other: ({ name, parts, instead }) =>
    `${name}: the document says ${instead.join(', ')} instead of ${parts.join(', ')}`,
  missing: ({ name, parts, state }) =>
    state === 'unnamed' || parts.length === 0
      ? `${name}: not clearly found in the document`
      : `${name}: ${parts.join(', ')} not found beside the name`,
  amounts: ({ name }) => `${name}: amount not found in the document`,
  same: ({ name, parts, hasAmount }) =>
    `${name}: in the document, compared ${['name', ...parts, ...(hasAmount ? ['amount'] : [])].join(', ')}`,
  birth: {
    good: (day) => `Date of birth ${day} stands in the document`,
    amber: (day) => `Date of birth ${day} not found in the document`,
    red: (day, instead) => `Date of birth: the document says ${instead} instead of ${day}`,
  },
  dated: {
    good: (day) => `Date of the prescription ${day} stands in the document`,
    amber: (day) => `Date of the prescription ${day} not found in the document`,
    red: (day, instead) => `Date of the prescription: the document says ${instead} instead of ${day}`,
  },
  prescriber: {
    good: (parts) => `Prescriber in the document, compared ${parts}`,
    amber: (parts) => `Prescriber: ${parts} not found in the document`,
  },
  prescriberParts: { name: 'name', number: 'doctor number' },
  otherNumber: (number, instead) =>
    `Prescriber: the document says doctor number ${instead} instead of ${number}`,
  minor: (day) => `Not yet 18 years old on ${day}`,
  checked: (who, at) => `Prescriber checked by ${who} on ${at}`,
  unchecked: 'Prescriber not yet marked as checked in your pharmacy',
  scan: 'Scan without text: read by eye',
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
    locked: 'Prescription needs a password: nothing was compared',
    late: 'Prescription not loaded yet: nothing was compared',
  },
};
