import type { help as german } from './help.de';

/** What each hint has compared, and what to do. */
export const help: typeof german = {
  issued: 'The date you entered. The limits are set under Review rules.',
  minor:
    'Age on the day of the prescription, from the date of birth that the partner sent. Check dosage and consent.',
  checked:
    'Whether someone in your pharmacy has marked this name as checked with this prescriber number or, if none was sent, with this postcode. It is not compared with the prescription itself.',
  used: 'Compares the file byte by byte with all earlier ones in this pharmacy, and an e-prescription by its number. A new scan of the same prescription is not detected. Test shops and real shops are compared separately. Look at the earlier request.',
  reference:
    'Another sender used the same reference, or it is the ID of their request. Once approved, the new order carries the ID of the request. Red: first find out whether the customer ordered the same thing twice.',
  duplicate:
    'The same customer or the same file within 24 hours, for requests without a reference. Look at the other request before you approve.',
  signature:
    'Whether the file has an electronic signature, and whether it was changed after signing. The validity of the signature is not checked.',
  stock: 'Available means not reserved for an order. Change the quantity, or book new stock in.',
  price: 'The partner’s price differs from yours. Clarify which one applies.',
  payment:
    'Compares the delivery and payment of the request. Clarify the payment before the goods leave the pharmacy.',
  document: 'Without a readable prescription, there are no excerpts. Load it again, or ask the partner.',
};
