import type { HintTexts } from './hints.de';

const SIGNATURES = {
  none: 'No embedded signature',
  present: 'Embedded signature',
  altered: 'Changed after signing',
};

const usedBy = (partner: string | null, isId: boolean) => {
  const sender = partner === null ? 'your pharmacy' : `another partner (${partner})`;
  return isId
    ? `The reference is the ID of a request from ${sender}`
    : `An order from ${sender} has this reference`;
};

/** English texts of the hints. */
export const hints: HintTexts = {
  issued: (date, days) =>
    days < 0
      ? `Issued ${date} · in the future`
      : `Issued ${date} · ${days === 0 ? 'today' : days === 1 ? 'yesterday' : `${days} days ago`}`,
  minor: (day) => `Under 18 on ${day}`,
  checked: (who, at) => `Prescriber checked by ${who} on ${at}`,
  unchecked: 'Prescriber not yet marked as checked in your pharmacy',
  used: {
    good: () => 'Document submitted for the first time',
    quiet: () => 'Submitted before, withdrawn by the sender',
    red: (times) => `Submitted ${times === 1 ? 'once' : `${times} times`} before`,
  },
  reference: {
    amber: usedBy,
    red: (partner, isId) => `${usedBy(partner, isId)}, with the same name or e-mail`,
  },
  duplicate: { good: 'No duplicate in 24 h', amber: 'Possible duplicate in 24 h' },
  signature: SIGNATURES,
  stock: 'Not enough stock',
  price: 'Price differs from the catalogue',
  more: (count) => `${count} more hints`,
  payment: {
    given: 'Payment in cash on pickup, but the goods are to be delivered',
    unpaid: 'Not paid, but the goods are to be delivered: once approved, the order waits for payment',
    default: 'Delivery with no payment details: once approved, the order waits for payment',
  },
  documentNumber: (number) => `document ${number}`,
  document: {
    missing: 'No prescription',
    broken: 'No readable prescription',
    locked: 'Prescription is password-protected: nothing was read',
    late: 'Prescription not loaded yet: nothing has been read',
  },
};
