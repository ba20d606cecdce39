import { fullName, makePerson, makePrescriber, type Person } from './people';
import type { Paper, PrescribedLine, Prescription } from './prescription-forms';
import { prescriptionPdf } from './prescriptions';
import type { DemoProduct } from './products';
import { Random } from './random';

/** Order requests of the demo, as a telemedicine platform sends them. */
export interface DemoRequest {
  reference: string;
  source: string;
  submittedAt: Date;
  payload: Record<string, unknown>;
}

/** What the person hands in; the rest is drawn from the seed. */
interface Wish extends Partial<PlantedCase> {
  reference: string;
  ageMinutes: number;
}

const SOURCES = ['canna-praxis', 'medi-portal', 'telearzt', 'rezept-direkt'];
const PAPER_SHARES: [Paper, number][] = [
  ['private', 60],
  ['electronic', 22],
  ['scan', 13],
  ['three-pages', 5],
];
const FLOWER_DIRECTIONS = [
  '0,1 g Einzeldosis, max. 4 x täglich verdampfen',
  '0,05 g Einzeldosis, bei Bedarf bis 3 x täglich',
  '0,2 g abends verdampfen, max. 1 g am Tag',
];
const PACK_DIRECTIONS = [
  '3 x täglich 0,2 ml nach dem Essen',
  '1 x täglich abends',
  'bei Bedarf, höchstens 3 x täglich',
];
const GRAMS = [5, 10, 10, 15, 15, 20, 30];
const EXPRESS_FEE = 4.95;
const DAY_MS = 86_400_000;

/** The same request for the same wish and `now`. */
export function makeRequest(wish: Wish, products: readonly DemoProduct[], now: Date): DemoRequest {
  const random = new Random(wish.sameFileAs ?? wish.reference);
  const submittedAt = new Date(now.getTime() - wish.ageMinutes * 60_000);
  const patient = customerOf(wish, random);
  const lines = prescribedLines(wish, products, random);
  const prescription = prescriptionFor(wish, { patient, lines, submittedAt: fileTime(wish, now) }, random);
  const buyer = wish.sameFileAs === undefined ? patient : makePerson(new Random(wish.reference), 0);
  return {
    reference: wish.reference,
    source: random.pick(SOURCES),
    submittedAt,
    payload: {
      ...contactOf(buyer),
      ...orderOf(wish, lines, products, random),
      ...documentOf(wish, prescription),
    },
  };
}

/** Case 'same file': the file was made when it was first handed in. */
function fileTime({ sameFileAs, ageMinutes }: Wish, now: Date): Date {
  const first = PLANTED_CASES.find(({ reference }) => reference === sameFileAs);
  return new Date(now.getTime() - (first?.ageMinutes ?? ageMinutes) * 60_000);
}

/** References end in a number; it keeps e-mail addresses apart. */
function customerOf({ reference, sameCustomerAs, sameFileAs }: Wish, random: Random): Person {
  const known = sameFileAs ?? sameCustomerAs;
  const number = Number(/\d+$/.exec(known ?? reference)?.[0] ?? 0);
  const drawn = makePerson(random, number);
  return sameCustomerAs === undefined ? drawn : makePerson(new Random(sameCustomerAs), number);
}

function prescribedLines(wish: Wish, products: readonly DemoProduct[], random: Random): PrescribedLine[] {
  const controlled = products.filter(({ thc }) => thc !== null);
  const flowers = controlled.filter(({ unit }) => unit === 'g');
  const isPlanted = wish.shows !== undefined;
  const drawn = isPlanted || random.chance(0.7) ? random.pick(flowers) : random.pick(controlled);
  const quantity = wish.quantity ?? (drawn.unit === 'g' ? random.pick(GRAMS) : random.between(1, 2));
  const second = !isPlanted && random.chance(0.2) ? controlled.find((other) => other !== drawn) : undefined;
  const lines = [lineOf(drawn, quantity, random)];
  if (second) lines.push(lineOf(second, second.unit === 'g' ? 10 : 1, random));
  return lines;
}

function lineOf(product: DemoProduct, quantity: number, random: Random): PrescribedLine {
  const directions = random.pick(product.unit === 'g' ? FLOWER_DIRECTIONS : PACK_DIRECTIONS);
  return { product, quantity, directions };
}

function prescriptionFor(
  wish: Wish,
  content: { patient: Person; lines: PrescribedLine[]; submittedAt: Date },
  random: Random,
): Prescription {
  const paper = wish.paper ?? (wish.shows === undefined ? random.weighted(PAPER_SHARES) : 'private');
  const daysBefore = wish.issuedDaysBefore ?? random.between(0, 9);
  const byHand = random.chance(0.8) ? 'hand' : 'digital';
  const signature = wish.signature ?? (paper === 'private' && wish.shows === undefined ? byHand : 'hand');
  const { patient, lines, submittedAt } = content;
  return {
    seed: `paper of ${wish.sameFileAs ?? wish.reference}`,
    paper,
    // A printout of an electronic prescription has no signature.
    signature: paper === 'electronic' ? 'none' : signature,
    patient: wish.foreignName ? makePerson(random, 0) : patient,
    prescriber: makePrescriber(random),
    issuedOn: new Date(submittedAt.getTime() - daysBefore * DAY_MS).toISOString().slice(0, 10),
    lines: lines.map((line) => ({ ...line, quantity: wish.prescribedQuantity ?? line.quantity })),
  };
}

function contactOf(person: Person): object {
  return {
    customer_name: fullName(person),
    customer_email: person.email,
    address_street: person.street,
    address_postal_code: person.postalCode,
    address_city: person.town,
    address_phone: person.phone,
  };
}

function orderOf(
  { shows, priceAbove = 0 }: Wish,
  lines: readonly PrescribedLine[],
  products: readonly DemoProduct[],
  random: Random,
): object {
  const items = lines.map(({ product, quantity }) => itemOf(product, quantity, priceAbove));
  if (shows === undefined && random.chance(0.25))
    items.push(itemOf(random.pick(products.filter(({ thc }) => thc === null)), random.between(1, 2)));
  const shipping_option = random.weighted([
    ['Versand', 5] as const,
    ['Abholung', 3] as const,
    ['Express', 2] as const,
    ['Uber Eats', 0.3] as const,
  ]);
  const isPickup = shipping_option === 'Abholung';
  const isPaid = !isPickup && random.chance(0.85);
  const reference = `PAY-${random.digits(9)}`;
  const sum = items.reduce((total, { quantity, price }) => total + quantity * price, 0);
  const fee = shipping_option === 'Express' ? EXPRESS_FEE : 0;
  return {
    items,
    shipping_option,
    cash_on_pickup: isPickup,
    payment_status: isPickup ? 'cash_on_pickup' : isPaid ? 'paid' : 'pending',
    ...(isPaid && { payment_reference: reference }),
    total_amount: Math.round((sum + fee) * 100) / 100,
  };
}

interface RequestItem {
  p1_id: string;
  name: string;
  quantity: number;
  price: number;
}

function itemOf({ p1_id, name, price }: DemoProduct, quantity: number, priceAbove = 0): RequestItem {
  return { p1_id, name, quantity, price: Math.round((price + priceAbove) * 100) / 100 };
}

function documentOf({ document, reference }: Wish, prescription: Prescription): object {
  if (document === 'none') return {};
  if (document === 'failing-link')
    return { prescription_pdf_url: `https://rezepte.telearzt.example/${reference.toLowerCase()}.pdf` };
  return { prescription_pdf_base64: prescriptionPdf(prescription).toString('base64') };
}

/**
 * Requests with a reason to look twice, all in the first shop of the first organization and open at first. People and
 * tests find them by `external_reference`; everything else of them is right.
 */
interface PlantedCase {
  reference: string;
  shows: string;
  ageMinutes: number;
  paper?: Paper;
  signature?: Prescription['signature'];
  /** Days between the date on the prescription and the request; else a few. */
  issuedDaysBefore?: number;
  /** The prescription names another person. */
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
