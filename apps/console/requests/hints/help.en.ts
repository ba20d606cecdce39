import type { help as german } from './help.de';

/** What each hint has compared, and what to do. */
export const help: typeof german = {
  issued: 'The date that you entered. The limits are in the settings of the review.',
  minor: 'Age on the day of the prescription, by the partner’s birth date. Check dosage and consent.',
  checked:
    'Whether somebody of your pharmacy has marked this name with this number, or else with this postal code, as checked. The prescription itself is not compared with it.',
  used: 'Compares the file with all earlier ones of this pharmacy, byte by byte, and an e-prescription by its number. A new scan of the same prescription is not noticed. Test shops and real ones are compared separately. Look at the earlier request.',
  reference:
    'Another sender used the same reference. Once approved, the new order carries the id of the request. Red: first find out whether the person ordered the same twice.',
  duplicate:
    'The same customer or the same file within 24 hours, for requests without a reference. Look at the other request before you approve.',
  signature:
    'Whether the file has an electronic signature and was changed after it. Whether the signature is valid is not checked.',
  stock: 'Available is what no order holds. Change the amount, or book more stock.',
  price: 'The price of the partner is not yours. Clarify which one counts.',
  payment: 'Compares delivery and payment of the request. Clarify the payment before goods leave the house.',
  document: 'Without a readable prescription nothing is shown. Fetch it again, or ask the partner.',
};
