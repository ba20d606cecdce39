import type { help as german } from './help.de';

/** What each hint has compared, and what to do. */
export const help: typeof german = {
  name: 'Looks for all parts of the name together in the text of the prescription. If it is missing, compare by eye; ask when it is another name.',
  issued:
    'The newest date after words such as “Ausgestellt am”, or the date that you entered. The limits are in the settings of the review.',
  other:
    'Strength, form or pack beside the name differ from the request. Compare the place marked in red; ask or reject.',
  missing: 'The name or a part of the line does not stand clearly in the text. Compare this line by eye.',
  amounts:
    'Looks for the amount beside the name; numbers of a dosage do not count. Read the amount yourself.',
  same: 'Only what is listed here was compared. Dosage and plausibility are yours to judge.',
  birth:
    'Looks for the partner’s birth date in the text, also with a year of two digits. Red: another one stands beside “born”. Compare by eye.',
  dated:
    'Looks for the partner’s date of the prescription in the text. Red: another one stands there as the date of issue. Compare by eye.',
  prescriber:
    'Looks for the partner’s name and number of the prescriber in the text, each by itself. Whether this person may prescribe is not checked.',
  otherNumber: 'The text has another number of a prescriber than the partner sent. Clarify who prescribed.',
  minor: 'Age on the day of the prescription, by the partner’s birth date. Check dosage and consent.',
  checked:
    'Whether somebody of your pharmacy has marked this name with this number, or else with this postal code, as checked. The prescription itself is not compared with it.',
  scan: 'The prescription is a picture: nothing of it was compared. Read all of it.',
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
  document: 'Without a readable prescription nothing was compared. Fetch it again, or ask the partner.',
};
