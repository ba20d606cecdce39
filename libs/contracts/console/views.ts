import { Flag, Int, Nested, OneOf, Text } from '../calls/fields';
import { consoleOperation } from '../calls/operation';

/** Saved views of the console: filter, sort and columns of one list under a name. */

/** The screens with a list and filters. */
export const VIEW_SCREENS = [
  'requests',
  'orders',
  'stock',
  'products',
  'prescriptions',
  'deliveries',
  'audit',
] as const;
export type ViewScreen = (typeof VIEW_SCREENS)[number];

/** Of the table of orders, in its order. Number is always shown. */
export const ORDER_COLUMNS = [
  'number',
  'customer',
  'status',
  'shop',
  'lines',
  'total',
  'payment',
  'delivery',
  'age',
] as const;
export type OrderColumn = (typeof ORDER_COLUMNS)[number];

/** Views of one person, over all screens. */
export const MAX_OWN_VIEWS = 50;
/** Shared views of an organization, over all screens. */
export const MAX_SHARED_VIEWS = 50;
export const MAX_VIEW_NAME_LENGTH = 60;
const MAX_VALUE_LENGTH = 100;
const value = { optional: true, minLength: 1, maxLength: MAX_VALUE_LENGTH } as const;

/** Parameters of the address; each screen has some of them. Typed text such as `q` is not stored. */
export class ViewQuery {
  @Text(value) tab?: string;
  @Text(value) status?: string;
  @Text(value) payment?: string;
  @Text(value) flag?: string;
  @Text(value) assigned?: string;
  @Text(value) source?: string;
  @Text(value) shop?: string;
  @Text(value) attached?: string;
  @Text(value) low?: string;
  @Text(value) period?: string;
  @Text(value) endpoint?: string;
  @Text(value) kind?: string;
  @Text(value) who?: string;
  @Text(value) what?: string;
  @Text(value) sort?: string;
}
export type ViewParameter = keyof ViewQuery;

/** A source that a view holds: one word, or that of requests which named none. */
export const VIEW_SOURCE = /^([\w.-]{1,64}|shop:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
/** An actor that a view holds. Operators and services have names, not ids: a view does not hold them. */
export const VIEW_ACTOR = /^(staff|key|integration):[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const columns = {
  many: true,
  description:
    'Of the table of orders, with number; empty: the usual ones. Other screens have none to choose',
} as const;
const shared = { description: 'Shown to all people of the organization; only owners may share' } as const;

export class ViewBody {
  @OneOf(VIEW_SCREENS) screen!: ViewScreen;
  @Text({ minLength: 1, maxLength: MAX_VIEW_NAME_LENGTH, description: 'Unique per screen; no personal data' })
  name!: string;
  @Nested(() => ViewQuery) query!: ViewQuery;
  @OneOf(ORDER_COLUMNS, columns) columns!: OrderColumn[];
  @Flag(shared) shared!: boolean;
}

export class ViewChanges {
  @Text({ optional: true, minLength: 1, maxLength: MAX_VIEW_NAME_LENGTH }) name?: string;
  @Nested(() => ViewQuery, { optional: true }) query?: ViewQuery;
  @OneOf(ORDER_COLUMNS, { ...columns, optional: true }) columns?: OrderColumn[];
  @Flag({ ...shared, optional: true }) shared?: boolean;
}

export class View extends ViewBody {
  @Text({ format: 'uuid' }) id!: string;
  @Int({ minimum: 1, description: 'The ETag, for If-Match, is this number in quotes' }) version!: number;
}

export class ViewListQuery {
  @OneOf(VIEW_SCREENS, { optional: true }) screen?: ViewScreen;
}

export class ViewListResponse {
  @Nested(() => View, {
    list: { maxItems: MAX_OWN_VIEWS + MAX_SHARED_VIEWS },
    description: 'The own ones and the shared ones of the screens that the role reads, by name',
  })
  data!: View[];
}

const VIEWS = '/api/v2/public/orgs/{orgId}/views';
const ofPeople = { service: 'order-core', access: 'session' } as const;

export const listViews = consoleOperation({
  ...ofPeople,
  name: 'views.list',
  summary: 'List the saved views that the person can use',
  path: VIEWS,
  query: ViewListQuery,
  reply: ViewListResponse,
});

export const createView = consoleOperation({
  ...ofPeople,
  name: 'views.create',
  summary: `Save a view; at most ${MAX_OWN_VIEWS} per person and ${MAX_SHARED_VIEWS} shared ones`,
  refuses: ['insufficient_scope', 'conflict'],
  statuses: [201],
  method: 'POST',
  path: VIEWS,
  body: ViewBody,
  reply: View,
});

export const updateView = consoleOperation({
  ...ofPeople,
  name: 'views.update',
  summary: 'Rename, change or share a view; left-out fields stay',
  refuses: ['not_found', 'insufficient_scope', 'conflict'],
  method: 'PUT',
  path: `${VIEWS}/{viewId}`,
  body: ViewChanges,
  hasEntityTag: true,
  reply: View,
});

export const removeView = consoleOperation({
  ...ofPeople,
  name: 'views.remove',
  summary: 'Remove a view',
  refuses: ['not_found', 'insufficient_scope'],
  statuses: [204],
  method: 'DELETE',
  path: `${VIEWS}/{viewId}`,
});
