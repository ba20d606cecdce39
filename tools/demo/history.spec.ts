import { pastOrders, pastRequests, WHOLE_PLAN } from './history';
import { PLANTED_CASES } from './requests';
import { readProducts } from './products';

const NOW = new Date('2026-11-23T08:00:00Z');
const SMALL = { open: 30, asked: 4, decided: 12, orders: 200 };
const products = readProducts();
const DAY_MS = 86_400_000;

it('makes the same history of the same plan and time', () => {
  expect(pastRequests(SMALL, products, NOW)).toEqual(pastRequests(SMALL, products, NOW));
  expect(pastOrders(SMALL.orders, products, NOW)).toEqual(pastOrders(SMALL.orders, products, NOW));
});

it('makes as many requests of each state as planned, from a minute to 27 days old', () => {
  const rows = pastRequests({ ...SMALL, open: 60 }, products, NOW).map(({ row }) => row);
  const states = rows.map(({ decision }) => decision?.status ?? 'open');
  expect(states.filter((state) => state === 'open')).toHaveLength(60);
  expect(states.filter((state) => state === 'needs_clarification')).toHaveLength(SMALL.asked);
  expect(states.filter((state) => state === 'approved' || state === 'rejected')).toHaveLength(SMALL.decided);
  const ages = rows
    .filter(({ decision }) => !decision)
    .map(({ submitted_at }) => NOW.getTime() - Date.parse(submitted_at));
  expect(Math.min(...ages)).toBe(60_000);
  expect(Math.max(...ages)).toBeLessThanOrEqual(27 * DAY_MS);
  expect(Math.max(...ages)).toBeGreaterThan(15 * DAY_MS);
  expect(new Set(rows.map(({ external_reference }) => external_reference)).size).toBe(rows.length);
  expect(rows.map(({ external_reference }) => external_reference)).toEqual(
    expect.arrayContaining(PLANTED_CASES.map(({ reference }) => reference)),
  );
});

it('spreads orders over 90 days and all statuses, fewer on Sundays, with steps that rise in time', () => {
  const rows = pastOrders(WHOLE_PLAN.orders, products, NOW).map(({ row }) => row);
  const weekdays = rows.map(({ created_at }) => new Date(created_at).getUTCDay());
  const on = (weekday: number): number => weekdays.filter((day) => day === weekday).length;
  expect(on(1)).toBeGreaterThan(2 * on(0));
  const oldest = Math.min(...rows.map(({ created_at }) => Date.parse(created_at)));
  expect(NOW.getTime() - oldest).toBeGreaterThan(85 * DAY_MS);
  expect(new Set(rows.map(({ steps }) => steps.at(-1)?.status ?? 'pending'))).toEqual(
    new Set([
      'pending',
      'awaiting_payment',
      'awaiting_packing',
      'ready_pickup',
      'shipped',
      'picked_up',
      'completed',
      'cancelled',
    ]),
  );
  for (const { created_at, steps } of rows) {
    const times = [created_at, ...steps.map(({ at }) => at)].map((at) => Date.parse(at));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.at(-1)).toBeLessThan(NOW.getTime());
  }
});
