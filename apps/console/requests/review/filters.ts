import type {
  REVIEW_FLAGS as Flags,
  REVIEW_OUTCOMES as Outcomes,
  REVIEW_SORTS as Sorts,
  REVIEW_TABS as Tabs,
  ReviewFlag,
} from '@offizin/contracts/requests/review';
import type { OrderRequestStatus } from '@offizin/contracts/requests/order-requests';
import { readAddress, withoutUndefined } from '../../lists/address';

/** What the address of the review screen holds: filter, sort, the request that is open, and its pane. */
export interface RequestSearch {
  tab?: (typeof Tabs)[number];
  shop?: string;
  source?: string;
  flag?: ReviewFlag;
  /** The literal `nobody` or a staff id: a link shows the same rows to each person. */
  assigned?: string;
  /** Of the decided ones. */
  status?: (typeof Outcomes)[number];
  q?: string;
  sort?: (typeof Sorts)[number];
  id?: string;
  /** Id of a saved view. */
  view?: string;
  /** On a screen too narrow for both. */
  pane?: 'document';
}

/** The part of the address that the server filters by, in the contract's names; defaults are left out. */
export type RequestFilters = ReturnType<typeof filtersOf>;

export const REVIEW_TABS: typeof Tabs = ['open', 'second_look', 'parked', 'asked', 'decided'];
export const REVIEW_SORTS: typeof Sorts = ['oldest', 'newest', 'expiring'];
export const REVIEW_OUTCOMES: typeof Outcomes = ['approved', 'rejected', 'expired', 'cancelled'];
export const REVIEW_FLAGS: typeof Flags = [
  'used_before',
  'duplicate',
  'signature_altered',
  'document_missing',
  'document_failed',
  'express',
  'new_version',
  'expires_soon',
  'due_again',
  'offer_open',
  'offer_accepted',
  'offer_declined',
  'offer_expired',
];

const KNOWN = {
  tab: REVIEW_TABS,
  sort: REVIEW_SORTS,
  flag: REVIEW_FLAGS,
  assigned: null,
  status: REVIEW_OUTCOMES,
  pane: ['document'] as const,
  shop: null,
  source: null,
  q: null,
  id: null,
  view: null,
} as const;

const IS_ASSIGNED = /^(?:nobody|[0-9a-f-]{36})$/;

export function readSearch(search: Readonly<Record<string, unknown>>): RequestSearch {
  const { status, assigned, ...read } = readAddress(search, KNOWN);
  return {
    ...read,
    ...(assigned !== undefined && IS_ASSIGNED.test(assigned) && { assigned }),
    ...(read.tab === 'decided' && status && { status }),
  };
}

const DAY = /^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** Of the list of a day's approvals; without a day: today. */
export function readDaySearch({ on }: Readonly<Record<string, unknown>>): { on?: string } {
  return typeof on === 'string' && DAY.test(on) ? { on } : {};
}

/** The order without a choice: decided requests are looked up, open ones are worked off. */
export function usualSort(tab: RequestSearch['tab']): (typeof Sorts)[number] {
  return tab === 'decided' ? 'newest' : 'oldest';
}

export function filtersOf({ tab, shop, source, flag, assigned, status, q, ...given }: RequestSearch) {
  const sort = given.sort ?? (tab === 'decided' ? usualSort(tab) : undefined);
  return withoutUndefined({ tab, shop_id: shop, source, flag, assigned, status, q, sort });
}

/** The list in which a request of this status is. */
export function tabOf(status: OrderRequestStatus): Pick<RequestSearch, 'tab'> {
  if (status === 'pending') return {};
  return { tab: status === 'needs_clarification' ? 'asked' : 'decided' };
}

/** The change of the address that takes every filter away. */
export const NO_FILTER: { [name in 'q' | 'shop' | 'source' | 'flag' | 'assigned' | 'status']: undefined } = {
  q: undefined,
  shop: undefined,
  source: undefined,
  flag: undefined,
  assigned: undefined,
  status: undefined,
};
