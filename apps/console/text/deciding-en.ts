import type { DecidingTexts } from './deciding-de';

export const deciding: DecidingTexts = {
  editTitle: (customer) => `Edit: ${customer}`,
  editHint: 'The changes belong to your approval. What the partner sent is kept.',
  apply: 'Apply',
  quantity: 'Quantity',
  price: 'Unit price in €',
  remove: 'Remove',
  removeLine: (product) => `Remove ${product}`,
  restore: 'Keep it',
  restoreLine: (product) => `Keep ${product}`,
  removed: 'will be removed',
  totalInEuros: 'Total in €',
  totalFollows: 'Follows the lines until you enter an amount.',
  noShipping: 'not given',
  mistake: {
    empty: 'Must not be empty.',
    email: 'This is no e-mail address.',
    quantity: 'A whole number from 1 to 1,000,000.',
    money: 'An amount such as 1234.50.',
    no_lines: 'At least one line must stay. Otherwise reject the request.',
  },
  decidedBy: {
    approved: (customer, name, time) => `${customer}: ${name} approved it at ${time}.`,
    rejected: (customer, name, time) => `${customer}: ${name} rejected it at ${time}.`,
  },
  changedByYou: 'Changed by you',
  reset: 'Reset',
  resetField: (field) => `Reset ${field}`,
  refusedValue: (field, message) => `Not accepted (${field}): ${message}`,
  staleEdits: (made, present) =>
    `You changed version ${made}. There is version ${present} now: your changes do not count yet.`,
  takeOver: 'Take over for this version',
  discard: 'Discard',
  note: 'Note for staff',
  noteWrite: 'Note',
  noteTitle: (customer) => `Note: ${customer}`,
  noteHint: 'The partner does not see it.',
  noNote: 'No note',
  noteOnOlder:
    'The partner has sent a new version meanwhile. The note is not saved yet; “Save” again puts it on the new version.',
  save: 'Save',
};
