import { fullName, makePerson, makePrescriber, type Person } from './people';
import { type PlantedCase, PLANTED_CASES } from './planted-cases';
import type { Paper, PrescribedLine, Prescription } from './prescription-content';
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
    ...[['Versand', 5] as const, ['Abholung', 3] as const],
    ...[['Express', 2] as const, ['Uber Eats', 0.3] as const],
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
