import type { ImportedOrder, ImportedStep } from '@offizin/contracts/orders/history-import';
import type { OrderStatus } from '@offizin/contracts/orders/orders';
import { fullName, makePerson } from './people';
import type { DemoProduct } from './products';
import { Random } from './random';

/** Orders of the past: a weekday and a season curve, customers who come again, and steps that take their time. */
export const HISTORY_DAYS = 90;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const CUSTOMERS = 420;
/** Sunday first: pharmacies are shut, but the shop on the net is not. */
const WEEKDAYS = [0.35, 1.35, 1.15, 1.05, 1.1, 1.2, 0.6];
/** UTC hours from 5 on, by how many orders come in. */
const HOURS = [2, 5, 9, 12, 11, 8, 7, 8, 9, 8, 7, 6, 6, 5, 4, 3];
const FIRST_HOUR = 5;
const CANCELLED_SHARE = 0.05;
/** Orders that stay at a step, so that every status has some. */
const STUCK_SHARE = 0.03;

interface Delivery {
  shipping_option: 'Versand' | 'Abholung' | 'Express';
  /** Each status, and up to how many hours it takes until then. */
  path: readonly (readonly [OrderStatus, number])[];
}
const PICKUP: Delivery = {
  shipping_option: 'Abholung',
  path: [
    ['awaiting_packing', 2],
    ['ready_pickup', 8],
    ['picked_up', 70],
    ['completed', 30],
  ],
};
const PARCEL: Delivery = {
  shipping_option: 'Versand',
  path: [
    ['awaiting_payment', 1],
    ['awaiting_packing', 30],
    ['shipped', 28],
    ['completed', 80],
  ],
};
const EXPRESS: Delivery = { ...PARCEL, shipping_option: 'Express' };

/** The order with this number; the same for the same number and `now`. */
export function makePastOrder(
  number: number,
  { now, products }: { now: Date; products: readonly DemoProduct[] },
): Omit<ImportedOrder, 'shop_id'> {
  const random = new Random(`order ${number}`);
  const createdAt = timeOf(random, now);
  const customer = random.between(1, CUSTOMERS);
  const person = makePerson(new Random(`customer ${customer}`), customer);
  const delivery = random.weighted([
    [PARCEL, 6],
    [PICKUP, 3],
    [EXPRESS, 1],
  ]);
  const cash = delivery === PICKUP;
  return {
    external_id: `DEMO-O-${String(number).padStart(4, '0')}`,
    order_number: `2026-${String(40_000 + number)}`,
    order_datetime: createdAt.toISOString(),
    created_at: createdAt.toISOString(),
    customer_name: fullName(person),
    customer_email: person.email,
    address_street: person.street,
    address_city: person.town,
    address_postal_code: person.postalCode,
    address_phone: person.phone,
    shipping_option: delivery.shipping_option,
    cash_on_pickup: cash,
    items: itemsOf(random, products),
    steps: stepsOf(random, delivery, createdAt, now),
  };
}

/** What happened since, as far as it is in the past. */
export function stepsOf(random: Random, { path }: Delivery, createdAt: Date, now: Date): ImportedStep[] {
  const cancelledAfter = random.chance(CANCELLED_SHARE) ? random.between(0, path.length - 2) : path.length;
  const stuckAfter = random.chance(STUCK_SHARE * path.length)
    ? random.between(0, path.length - 1)
    : path.length;
  const steps: ImportedStep[] = [];
  let at = createdAt.getTime();
  for (const [index, [status, hours]] of path.entries()) {
    at += (0.1 + 0.9 * random.next()) * hours * HOUR_MS;
    if (at > now.getTime() - 60_000 || index === stuckAfter) break;
    const isPaid = status === 'picked_up' || (status === 'awaiting_packing' && path !== PICKUP.path);
    const payment = isPaid ? ({ payment_status: 'paid' } as const) : {};
    const isCancelled = index === cancelledAfter;
    steps.push({
      at: new Date(at).toISOString(),
      ...(isCancelled ? { status: 'cancelled' } : { status, ...payment }),
    });
    if (isCancelled) break;
  }
  return steps;
}

/** Deliveries by the word that a request uses. */
export function deliveryOf(shippingOption: unknown): Delivery {
  return shippingOption === 'Abholung' ? PICKUP : PARCEL;
}

function timeOf(random: Random, now: Date): Date {
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const days = Array.from({ length: HISTORY_DAYS }, (_, age) => {
    const day = midnight - age * DAY_MS;
    return [day, (WEEKDAYS[new Date(day).getUTCDay()] ?? 1) * season(day) * growth(age)] as const;
  });
  const hour = random.weighted(HOURS.map((weight, index) => [FIRST_HOUR + index, weight] as const));
  const time = random.weighted(days) + hour * HOUR_MS + random.between(0, HOUR_MS - 1);
  // Later today than now: some minutes ago instead.
  return new Date(time < now.getTime() ? time : now.getTime() - random.between(2, 240) * 60_000);
}

/** Colds in winter, hay fever in spring. */
function season(day: number): number {
  const yearShare = ((day / DAY_MS) % 365.25) / 365.25;
  return 1 + 0.22 * Math.cos(2 * Math.PI * (yearShare - 0.04));
}

function growth(age: number): number {
  return 1.25 - (0.4 * age) / HISTORY_DAYS;
}

function itemsOf(random: Random, products: readonly DemoProduct[]): NonNullable<ImportedOrder['items']> {
  const count = random.weighted([
    [1, 5],
    [2, 3],
    [3, 1.5],
    [5, 0.4],
  ]);
  const chosen = new Set(Array.from({ length: count }, () => popular(random, products)));
  return [...chosen].map(({ p1_id, name, price, unit }) => ({
    p1_id,
    name,
    price,
    qty: unit === 'g' ? random.pick([5, 10, 15, 20]) : random.between(1, 3),
  }));
}

/** A few products make most of the sales. */
function popular(random: Random, products: readonly DemoProduct[]): DemoProduct {
  return random.weighted(
    products.map((product, index) => [product, 1 / (1 + ((index * 7) % products.length))]),
  );
}
