import { readAddress, withoutUndefined } from '../lists/address';
import { isPeriod, timesOf } from '../text/berlin-day';

/** What the address of the prescriptions holds: filters and the prescription that is open. */
export interface PrescriptionSearch {
  shop?: string;
  /** Of the customer, whole. */
  email?: string;
  /** As in text/berlin-day.ts. */
  period?: string;
  id?: string;
  /** Id of a saved view. */
  view?: string;
}

export type PrescriptionFilters = ReturnType<typeof filtersOf>;

export const NO_FILTER = { shop: undefined, email: undefined, period: undefined };

export function readPrescriptionSearch(search: Readonly<Record<string, unknown>>): PrescriptionSearch {
  const { period, ...read } = readAddress(search, {
    shop: null,
    email: null,
    period: null,
    id: null,
    view: null,
  });
  return period !== undefined && isPeriod(period) ? { ...read, period } : read;
}

/** In the contract's names. */
export function filtersOf({ shop, email, period }: PrescriptionSearch, nowMs: number) {
  const { from, to } = timesOf(period, nowMs);
  return withoutUndefined({ shop_id: shop, customer_email: email, created_from: from, created_to: to });
}

/** The server finds whole addresses only, and refuses other text. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text);
}
