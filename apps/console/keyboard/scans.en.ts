import type { ScanTexts } from './scans.de';

/** English texts of codes that are scanned on a page of commands. */
export const scans: ScanTexts = {
  title: {
    garbage: 'Unreadable code',
    unreadable: 'Unreadable code',
    unknown: 'Unknown code',
    unanswered: 'No answer',
    unclear: 'Ambiguous code',
    other: 'Another product',
    busy: 'Not counted',
  },
  unreadable: {
    empty: 'No code arrived.',
    too_long: 'The code is longer than any product code.',
    form: 'The code has no known form.',
    check_digit: 'The check digit is wrong.',
    date: 'The code contains an expiry date that does not exist.',
    cut: 'The end of the code is missing.',
    two_codes: 'Two codes arrived together.',
    separators: 'The scanner sends no separators, so the lot cannot be read with certainty.',
    no_product: 'The code names no product.',
    foreign: 'The code contains a product number from another country.',
    layout:
      'The scanner and this device are set to different keyboards. Please set up the scanner at the packing station, under “Scanner”.',
  },
  garbage: 'The code arrived in parts. Please scan again.',
  unreadableCode: (why, code) => `${why} Read: ${code}. Please scan again or enter the details by hand.`,
  unknown: (code) =>
    `${code} belongs to no product of your pharmacy. Please add the code under “Products”, or find the product by hand.`,
  unanswered: (code) => `The server did not answer for ${code}. Please scan again.`,
  unclear: (code, names) =>
    `${code} is the PZN of one product and the GTIN of another: ${names}. Please choose the right product by hand.`,
  other: (name, wanted, code) =>
    `${name} is not part of the open entry for ${wanted} and was not counted (${code}). Please book ${wanted} first, or cancel.`,
  busy: (code) => `${code}: the entry before it is still being booked. Please scan again.`,
  understood: 'Understood',
};
