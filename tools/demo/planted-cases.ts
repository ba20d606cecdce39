import type { Paper, Prescription } from './prescription-content';

/**
 * Requests with a reason to look twice, all in the first shop of the first organization and open at first. People and
 * tests find them by `external_reference`; everything else of them is right.
 */
export interface PlantedCase {
  reference: string;
  shows: string;
  ageMinutes: number;
  paper?: Paper;
  signature?: Prescription['signature'];
  /** Days between the date on the prescription and the request; else a few. */
  issuedDaysBefore?: number;
  /** The prescription is for somebody else. */
  foreignName?: true;
  /** Pieces asked for, and on the paper where that says otherwise. */
  quantity?: number;
  prescribedQuantity?: number;
  /** The price asked for is this much higher than the catalog's, in EUR. */
  priceAbove?: number;
  /** Takes customer and file, or the customer alone, from this earlier case. */
  sameFileAs?: string;
  sameCustomerAs?: string;
  document?: 'none' | 'failing-link';
}

export const PLANTED_CASES: readonly PlantedCase[] = [
  { reference: 'DEMO-UNSIGNED', shows: 'nobody has signed', ageMinutes: 44, signature: 'none' },
  { reference: 'DEMO-OLDER-28', shows: 'issued more than 28 days ago', ageMinutes: 95, issuedDaysBefore: 34 },
  {
    reference: 'DEMO-OLDER-90',
    shows: 'issued more than 90 days ago',
    ageMinutes: 130,
    issuedDaysBefore: 97,
  },
  {
    reference: 'DEMO-FOREIGN-NAME',
    shows: "somebody else's prescription",
    ageMinutes: 71,
    foreignName: true,
  },
  {
    reference: 'DEMO-OTHER-AMOUNT',
    shows: 'asks for 30 g, prescribed are 10 g',
    ageMinutes: 58,
    quantity: 30,
    prescribedQuantity: 10,
  },
  { reference: 'DEMO-SAME-FILE-1', shows: 'the file of DEMO-SAME-FILE-2, earlier', ageMinutes: 4_400 },
  {
    reference: 'DEMO-SAME-FILE-2',
    shows: 'the file of DEMO-SAME-FILE-1 once more',
    ageMinutes: 33,
    sameFileAs: 'DEMO-SAME-FILE-1',
  },
  { reference: 'DEMO-SAME-CUSTOMER-1', shows: 'first of two requests of one customer', ageMinutes: 340 },
  {
    reference: 'DEMO-SAME-CUSTOMER-2',
    shows: 'the same customer within 24 hours',
    ageMinutes: 26,
    sameCustomerAs: 'DEMO-SAME-CUSTOMER-1',
  },
  {
    reference: 'DEMO-ALTERED',
    shows: 'the file was changed after it was signed',
    ageMinutes: 81,
    signature: 'altered',
  },
  {
    reference: 'DEMO-SIGNED',
    shows: 'a signature that covers the file',
    ageMinutes: 112,
    signature: 'digital',
  },
  { reference: 'DEMO-NO-DOCUMENT', shows: 'no prescription at all', ageMinutes: 19, document: 'none' },
  {
    reference: 'DEMO-FAILED-LINK',
    shows: 'a link to a prescription that cannot be fetched',
    ageMinutes: 150,
    document: 'failing-link',
  },
  { reference: 'DEMO-OTHER-PRICE', shows: 'a price above the catalog', ageMinutes: 64, priceAbove: 2.5 },
  { reference: 'DEMO-OUT-OF-STOCK', shows: 'more than the stock holds', ageMinutes: 87, quantity: 900 },
  { reference: 'DEMO-SCAN', shows: 'a scan without text', ageMinutes: 38, paper: 'scan' },
  { reference: 'DEMO-THREE-PAGES', shows: 'a document of three pages', ageMinutes: 51, paper: 'three-pages' },
  {
    reference: 'DEMO-ELECTRONIC',
    shows: "an electronic prescription's printout",
    ageMinutes: 67,
    paper: 'electronic',
  },
];
