import type {
  ImportedDecision,
  ImportedOrder,
  ImportedRequest,
} from '@offizin/contracts/orders/history-import';
import type { RejectionReason } from '@offizin/contracts/requests/order-requests';
import { deliveryOf, makePastOrder, stepsOf } from './past-orders';
import { type DemoRequest, makeRequest, PLANTED_CASES } from './requests';
import type { DemoProduct } from './products';
import { Random } from './random';

/**
 * What the demo's organizations have behind them: requests of 27 days and orders of 90. Everything follows from the plan,
 * the products and the time of the first start, so that a second run makes the same and adds nothing.
 */
export interface HistoryPlan {
  open: number;
  asked: number;
  decided: number;
  /** Orders of approved requests included. */
  orders: number;
}

export const WHOLE_PLAN: HistoryPlan = { open: 120, asked: 20, decided: 60, orders: 2_000 };
const OLDEST_MINUTES = 27 * 24 * 60;

/** A row and the place of its shop in the list of all shops of the demo. */
export interface Placed<Row> {
  shop: number;
  row: Omit<Row, 'shop_id'>;
}

const QUESTIONS = [
  'Auf dem Rezept fehlt die Unterschrift. Können Sie es bitte neu ausstellen lassen?',
  'Die Dosierung ist nicht lesbar. Was hat die Praxis verordnet?',
  'Bitte bestätigen Sie die Lieferadresse: Straße und Hausnummer passen nicht zum Ort.',
  'Die verordnete Sorte ist nicht lieferbar. Ist ein Austausch mit der Praxis abgesprochen?',
];
const REASONS: RejectionReason[] = [
  'prescription_unsigned',
  'prescription_invalid',
  'prescription_already_used',
  'out_of_stock',
  'customer_data_incomplete',
  'price_mismatch',
];
const REJECTED_SHARE = 0.28;
/** Shops of the first organization get most of it: there the staff signs in. */
export const SHOP_SHARES = [
  [0, 45],
  [1, 33],
  [2, 13],
  [3, 9],
] as const;

export function pastRequests(
  plan: HistoryPlan,
  products: readonly DemoProduct[],
  now: Date,
): Placed<ImportedRequest>[] {
  const planted = PLANTED_CASES.slice(0, plan.open).map((wish) => ({
    shop: 0,
    row: rowOf(makeRequest(wish, products, now)),
  }));
  const total = plan.open + plan.asked + plan.decided;
  const drawn = Array.from({ length: total - planted.length }, (_, index) => {
    const state = index < plan.decided ? 'decided' : index < plan.decided + plan.asked ? 'asked' : 'open';
    const place = state === 'open' ? index - plan.decided - plan.asked : index;
    const count = state === 'open' ? plan.open - planted.length : total;
    return drawnRequest({ number: index + 1, state, place, share: place / count }, products, now);
  });
  return [...planted, ...drawn];
}

interface Draw {
  number: number;
  state: 'open' | 'asked' | 'decided';
  /** Among the open ones, the newest first: its place, and its share of the way to the oldest. */
  place: number;
  share: number;
}

function drawnRequest(
  { number, state, place, share }: Draw,
  products: readonly DemoProduct[],
  now: Date,
): Placed<ImportedRequest> {
  const reference = `DEMO-R-${String(number).padStart(4, '0')}`;
  const random = new Random(`state of ${reference}`);
  // Few wait for long: open ones from 1 minute to 27 days on a curve, the others anywhere in that time.
  const ageMinutes =
    state === 'open'
      ? 1 + 4 * place + Math.round((OLDEST_MINUTES - 1_000) * share ** 5)
      : random.between(200, OLDEST_MINUTES - 60);
  const request = makeRequest({ reference, ageMinutes }, products, now);
  const row = rowOf(request);
  const shop = random.weighted(SHOP_SHARES);
  if (state === 'open') return { shop, row };
  const at = new Date(request.submittedAt.getTime() + random.between(2, 180) * 60_000);
  return { shop, row: { ...row, decision: decisionOf(random, state, { request, at, now }) } };
}

function decisionOf(
  random: Random,
  state: 'asked' | 'decided',
  { request, at, now }: { request: DemoRequest; at: Date; now: Date },
): ImportedDecision {
  const time = at.toISOString();
  if (state === 'asked') return { status: 'needs_clarification', at: time, question: random.pick(QUESTIONS) };
  if (random.chance(REJECTED_SHARE)) return { status: 'rejected', at: time, reason: random.pick(REASONS) };
  const { shipping_option, payment_status } = request.payload;
  const all = stepsOf(random, deliveryOf(shipping_option), at, now);
  // Approval begins where its payment lets it: the steps up to there are not taken.
  const start = payment_status === 'pending' ? 'awaiting_payment' : 'awaiting_packing';
  const steps = all.filter(({ status }) => status !== 'awaiting_payment' && status !== start);
  return { status: 'approved', at: time, steps };
}

function rowOf({ reference, source, submittedAt, payload }: DemoRequest): Omit<ImportedRequest, 'shop_id'> {
  return { external_reference: reference, source, submitted_at: submittedAt.toISOString(), payload };
}

export function pastOrders(
  count: number,
  products: readonly DemoProduct[],
  now: Date,
): Placed<ImportedOrder>[] {
  return Array.from({ length: count }, (_, index) => {
    const shop = new Random(`shop of order ${index}`).weighted(SHOP_SHARES);
    return { shop, row: makePastOrder(index + 1, { now, products }) };
  });
}
