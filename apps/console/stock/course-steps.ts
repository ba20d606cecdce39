import type { StockItem, StockPoint } from '@offizin/contracts/products/stock';
import type { Step } from '../plots/step-plot';

const DAY_MS = 86_400_000;
const COURSE_DAYS = 90;

/** The course as a plot draws it, over 90 days up to now. Before its first entry a product had no stock. */
export function stepsOf(
  { course, stock_quantity: present }: Pick<StockItem, 'course' | 'stock_quantity'>,
  nowMs: number,
): Step[] {
  const fromMs = nowMs - COURSE_DAYS * DAY_MS;
  const steps = course.map(({ at, stock_quantity: value }) => ({
    atMs: Math.max(fromMs, Date.parse(at)),
    value,
  }));
  const isKnown = steps[0]?.atMs === fromMs;
  return [...(isKnown ? [] : [{ atMs: fromMs, value: 0 }]), ...steps, { atMs: nowMs, value: present }];
}

/** The newest first. */
export function daysOf({ course }: Pick<StockItem, 'course'>): StockPoint[] {
  return course.toReversed();
}
