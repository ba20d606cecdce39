import type {
  REVIEW_FLAGS as Flags,
  REVIEW_SORTS as Sorts,
  REVIEW_TABS as Tabs,
  ReviewFlag,
} from '@offizin/contracts/review';

/** What the address of the review screen holds: filter, sort, the request that is open, and its pane. */
export interface RequestSearch {
  tab?: (typeof Tabs)[number];
  shop?: string;
  source?: string;
  flag?: ReviewFlag;
  q?: string;
  sort?: (typeof Sorts)[number];
  id?: string;
  /** On a screen too narrow for both. */
  pane?: 'document';
}

/** The part of the address that the server filters by, in the contract's names; defaults are left out. */
export type RequestFilters = ReturnType<typeof filtersOf>;

export const REVIEW_TABS: typeof Tabs = ['open', 'asked', 'decided'];
export const REVIEW_SORTS: typeof Sorts = ['oldest', 'newest', 'expiring'];
const FLAGS: typeof Flags = [
  ...(['used_before', 'duplicate', 'signature_altered', 'document_missing'] as const),
  ...(['document_failed', 'express', 'new_version', 'expires_soon'] as const),
];

/** Reads an address that a person may have typed: what is not known is dropped. */
export function readSearch(search: Record<string, unknown>): RequestSearch {
  const text = (name: string) => {
    const value = search[name];
    const given = typeof value === 'number' ? String(value) : value;
    return typeof given === 'string' && given !== '' ? given : undefined;
  };
  const oneOf = <Value extends string>(values: readonly Value[], name: string) =>
    values.find((value) => value === text(name));
  return withoutUndefined({
    tab: oneOf(REVIEW_TABS, 'tab'),
    shop: text('shop'),
    source: text('source'),
    flag: oneOf(FLAGS, 'flag'),
    q: text('q'),
    sort: oneOf(REVIEW_SORTS, 'sort'),
    id: text('id'),
    pane: oneOf(['document'] as const, 'pane'),
  });
}

export function filtersOf({ tab, shop, source, flag, q, sort }: RequestSearch) {
  return withoutUndefined({ tab, shop_id: shop, source, flag, q, sort });
}

/** Whether rows may be missing because of a filter: then an empty list says so. */
export function isFiltered({ shop, source, flag, q }: RequestSearch): boolean {
  return [shop, source, flag, q].some((value) => value !== undefined);
}

type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>;
}
