import type { Problem } from '@offizin/contracts/calls/errors';
import { EVENT_TYPES } from '@offizin/contracts/webhooks/events';
import { ORDER_STATUSES, PAYMENT_STATUSES } from '@offizin/contracts/orders/orders';
import { PIPELINE_SORTS } from '@offizin/contracts/orders/pipeline';
import {
  ASSIGNED,
  REVIEW_FLAGS,
  REVIEW_OUTCOMES,
  REVIEW_SORTS,
  REVIEW_TABS,
} from '@offizin/contracts/requests/review';
import type { StaffScope } from '@offizin/contracts/people/scopes';
import { ORDER_COLUMNS, type OrderColumn, VIEW_ACTOR, VIEW_SOURCE } from '@offizin/contracts/console/views';
import type { ViewBody, ViewParameter, ViewQuery, ViewScreen } from '@offizin/contracts/console/views';
import { DELIVERY_STATUSES } from '@offizin/contracts/webhooks/webhooks';

/**
 * What a view may hold: ids, values of a list, names of actions, and the source of requests, which is a word without
 * space and "@" that a partner chose. Typed text is not a parameter: it may be the
 * name of a customer, and an erasure must reach every copy.
 */
type Rule = readonly string[] | RegExp;
type Rules = Readonly<Partial<Record<ViewParameter, Rule>>>;

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** As the console's `isPeriod`. */
const PERIOD = /^(7|30|20\d\d-(0[1-9]|1[0-2]))$/;
const ACTION = /^[a-z-]+\.[a-z-]+$/;

const PARAMETERS: Readonly<Record<ViewScreen, Rules>> = {
  requests: {
    tab: REVIEW_TABS,
    flag: REVIEW_FLAGS,
    assigned: ASSIGNED,
    status: REVIEW_OUTCOMES,
    source: VIEW_SOURCE,
    shop: ID,
    sort: REVIEW_SORTS,
  },
  orders: { status: ORDER_STATUSES, payment: PAYMENT_STATUSES, shop: ID, sort: PIPELINE_SORTS },
  stock: { low: ['true'] },
  products: { shop: ID, attached: ['true', 'false'] },
  prescriptions: { shop: ID, period: PERIOD },
  deliveries: {
    status: DELIVERY_STATUSES,
    kind: Object.keys(EVENT_TYPES),
    endpoint: ID,
    period: ['hour', 'day', 'week'],
  },
  audit: { who: VIEW_ACTOR, what: ACTION, period: PERIOD },
};

/** Columns that a screen lets people choose, and the one that always stays. */
const COLUMNS: Readonly<Partial<Record<ViewScreen, { known: readonly OrderColumn[]; fixed: OrderColumn }>>> =
  { orders: { known: ORDER_COLUMNS, fixed: 'number' } };

/** What a role needs to read the list of a screen. */
const SCOPES: Readonly<Record<ViewScreen, StaffScope>> = {
  requests: 'order_requests.read',
  orders: 'orders.read',
  stock: 'inventory.read',
  products: 'products.read',
  prescriptions: 'prescriptions.read',
  deliveries: 'webhooks.read',
  audit: 'audit.read',
};

export function scopeOf(screen: ViewScreen): StaffScope {
  return SCOPES[screen];
}

export function screensOf(scopes: readonly StaffScope[]): ViewScreen[] {
  return (Object.keys(SCOPES) as ViewScreen[]).filter((screen) => scopes.includes(SCOPES[screen]));
}

type Content = Pick<ViewBody, 'name' | 'query' | 'columns'>;

/** Every field that does not fit the screen. */
export function problemsOf(screen: ViewScreen, { name, query, columns }: Content): Problem[] {
  const blank = name.trim() === '' ? [{ field: 'name', message: 'must not be blank' }] : [];
  return [...blank, ...problemsOfQuery(screen, query), ...problemsOfColumns(screen, columns)];
}

function problemsOfQuery(screen: ViewScreen, query: ViewQuery): Problem[] {
  const rules = PARAMETERS[screen];
  return given(query).flatMap(([name, value]) => {
    const field = `query.${name}`;
    const rule = rules[name];
    if (rule === undefined) return [{ field, message: `is not a filter of the screen ${screen}` }];
    const fits = rule instanceof RegExp ? rule.test(value) : rule.includes(value);
    return fits ? [] : [{ field, message: 'is not a value of this filter' }];
  });
}

function problemsOfColumns(screen: ViewScreen, columns: readonly OrderColumn[]): Problem[] {
  if (columns.length === 0) return [];
  const choice = COLUMNS[screen];
  const field = 'columns';
  if (!choice) return [{ field, message: `must be empty: the screen ${screen} has no columns to choose` }];
  return columns.includes(choice.fixed) ? [] : [{ field, message: `must have ${choice.fixed}` }];
}

function given(query: ViewQuery): [ViewParameter, string][] {
  return (Object.entries(query) as [ViewParameter, string | undefined][]).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
}

/** As stored: the name without outer spaces, each column once and in the order of the table. */
export function normalized<Given extends Content>(content: Given): Given {
  const { name, query, columns } = content;
  return {
    ...content,
    name: name.trim().normalize('NFC'),
    query: Object.fromEntries(given(query)),
    columns: ORDER_COLUMNS.filter((column) => columns.includes(column)),
  };
}
