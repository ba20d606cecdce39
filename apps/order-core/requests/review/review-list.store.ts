import { testMark } from '@offizin/contracts/calls/test-mark';
import type { OrderRequestStatus } from '@offizin/contracts/requests/order-requests';
import {
  REVIEW_FLAGS,
  REVIEW_OUTCOMES,
  type ReviewCounts,
  type ReviewCountsQuery,
  type ReviewFlag,
  type ReviewListQuery,
  type ReviewListResponse,
  type ReviewRow,
} from '@offizin/contracts/requests/review';
import { type Sql, statement } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { type Bind, given, isoOf, type ListFilter, listPage, utcText } from '@offizin/pg/list-page';
import { foundSql, wordsQuery } from '@offizin/pg/search-words';
import { testRowsFor } from '../../callers/test-rows';
import { totalSql } from '../../orders/counts/counts.store';
import { decrypt } from '../../crypto/encryption';
import type { OrderRequestEntity } from '../../db/request-entities';
import type { ExpiryRule } from './decision';
import { WAITS_FOR_SECOND } from './four-eyes.store';
import { integrationName } from '../intake/integrations.store';
import { lineWord } from '../intake/line-words';
import { linesRowId } from '../intake/list-columns';
import { PLAN } from './plan.store';
import { flagCondition, flagSql, JOIN_DOCUMENTS } from './checks.store';

/** One statement per page: rows, their flags and the exact total. Indexes: db/0001-schema.sql. */

const STATUSES_OF_TAB: Readonly<Record<ReviewListQuery['tab'], readonly OrderRequestStatus[]>> = {
  open: ['pending'],
  second_look: ['pending'],
  parked: ['pending'],
  asked: ['needs_clarification'],
  decided: REVIEW_OUTCOMES,
};

const NOT_PARKED = '(r.parked_until IS NULL OR r.parked_until <= now())';
const PARKED = `r.status = 'pending' AND r.parked_until > now()`;

/** The console shows a test shop to those who choose it. */
const NO_TESTS = ' AND NOT r.is_test';

/** SQL over `r` that narrows the statuses of a tab. */
function tabSql(tab: ReviewListQuery['tab'], fourEyes: boolean): string {
  if (tab === 'parked') return ` AND ${PARKED}`;
  if (tab === 'second_look') return ` AND r.first_approved_by IS NOT NULL AND ${NOT_PARKED}`;
  if (tab !== 'open') return '';
  return `${fourEyes ? ' AND r.first_approved_by IS NULL' : ''} AND ${NOT_PARKED}`;
}

type ListedRow = Omit<ReviewRow, 'lines_text' | 'expires_at' | 'first_approval'> &
  Pick<OrderRequestEntity, 'lines_ciphertext' | 'is_test'> & {
    first_by: OrderRequestEntity['first_approved_by'];
    first_name: string | null;
    first_at: string | null;
  };

const COLUMNS = `r.id, r.status, r.shop_id, r.source, r.integration_id, r.external_reference, r.customer_name,
  r.total_amount::float8 AS total_amount, r.order_id, ${utcText('r.created_at')} AS created_at,
  ${utcText('r.updated_at')} AS updated_at, r.lines_ciphertext, r.line_count, r.shipping_option, r.version,
  r.first_approved_by AS first_by, ${utcText('r.first_approved_at')} AS first_at, r.is_test,
  ${utcText('r.erased_at')} AS erased_at, (SELECT name FROM core.staff WHERE id = r.first_approved_by) AS first_name, ${PLAN} AS plan,
  ${integrationName('r')} AS integration`;

export interface ReviewListOf {
  orgId: string;
  key: Buffer;
  expiry: ExpiryRule;
  fourEyes: boolean;
}

export async function listReviewRows(
  sql: Sql,
  of: ReviewListOf,
  query: ReviewListQuery,
  /** Only the first page of a file needs the total. */
  needsTotal = true,
): Promise<ReviewListResponse> {
  const { orgId, key, expiry, fourEyes } = of;
  const { tab, status, sort, limit, cursor } = query;
  const statuses = STATUSES_OF_TAB[tab].filter((one) => status === undefined || one === status);
  if (statuses.length === 0 || (tab === 'second_look' && !fourEyes))
    return { data: [], total: 0, next_cursor: null };
  const filters = filtersOf(of, statuses, query);
  const { data, pagination } = await listPage(sql, {
    // The text depends on the days, which are not parameters.
    name: `review_list_${expiry.days}`,
    from: 'core.order_requests r',
    columns: `${COLUMNS}, ${flagsSql(expiry)} AS flags`,
    joins: JOIN_DOCUMENTS,
    show: (row: ListedRow) => shown(row, key, { expiry, fourEyes }),
    filters,
    // Every request has the same time until it expires, so the oldest expires first.
    sort: { column: 'created_at', descending: sort === 'newest' },
    isOneIndex: filters.length === 1 && query.flag === undefined,
    isCollected: query.q !== undefined || query.flag !== undefined,
    limit,
    cursor,
    ...((!needsTotal || isCounted(query)) && {
      total: (bind: Bind) => {
        if (!needsTotal) return '0';
        const { shop_id: shopId } = query;
        const isTest = testRowsFor({ kind: 'staff' }, shopId);
        const all = totalSql({ table: 'order_requests', orgId, shopId, statuses, isTest }, bind);
        if (tab !== 'open') return all;
        const apart = (fourEyes ? [SECOND_LOOK, PARKED] : [PARKED]).map((sql) =>
          apartSql(sql, bind, orgId, shopId),
        );
        return `(${[all, ...apart].join(' - ')})`;
      },
    }),
  });
  return { data, total: pagination.total, next_cursor: pagination.next_cursor };
}

function isCounted({ tab, source, flag, assigned, ids, q }: ReviewListQuery): boolean {
  const isNarrowed = [source, flag, assigned, ids, q].some((value) => value !== undefined);
  return tab !== 'second_look' && tab !== 'parked' && !isNarrowed;
}

/** Statuses and flag are part of the text: the planner then finds the index of the tab. */
function filtersOf(
  { orgId, key, expiry, fourEyes }: ReviewListOf,
  statuses: readonly OrderRequestStatus[],
  { tab, shop_id, source, flag, assigned, ids, q }: ReviewListQuery,
): ListFilter[] {
  const list = statuses.map((status) => `'${status}'`).join(', ');
  const flagged = flag === undefined ? '' : ` AND ${flagCondition(flag, expiry.days)}`;
  const shops = shop_id === undefined ? NO_TESTS : '';
  const narrowed = `${shops}${tabSql(tab, fourEyes)}${assigned === 'nobody' ? ' AND r.assigned_to IS NULL' : ''}`;
  return given([
    {
      key: `org ${list} ${flag} ${narrowed}`,
      sql: `r.org_id = $::uuid AND r.status IN (${list})${narrowed}${flagged}`,
      value: orgId,
    },
    { key: 'shop', sql: 'r.shop_id = $::uuid', value: shop_id },
    { key: 'source', sql: 'r.source = $', value: source },
    { key: 'person', sql: 'r.assigned_to = $::uuid', value: assigned === 'nobody' ? undefined : assigned },
    { key: 'ids', sql: 'r.id = ANY($::uuid[])', value: ids?.split(',').filter(isId) },
    { key: 'q', sql: foundSql('r', 'core.order_request_words'), value: q && requestQuery({ orgId, key }, q) },
  ]);
}

/** By name and reference in plain, and by the lines' keyed hashes. */
export function requestQuery(
  { orgId, key }: { orgId: string; key: Buffer },
  q: string,
  isWhole = false,
): string {
  return wordsQuery({ orgId, q, isWhole, otherForm: (word) => lineWord(key, word) });
}

function flagsSql({ days }: ExpiryRule): string {
  const one = (flag: ReviewFlag): string => `CASE WHEN ${flagSql(flag, days)} THEN '${flag}' END`;
  return `array_remove(ARRAY[${REVIEW_FLAGS.map(one).join(', ')}], NULL)`;
}

function shown(
  row: ListedRow,
  key: Buffer,
  { expiry, fourEyes }: { expiry: ExpiryRule; fourEyes: boolean },
): ReviewRow {
  const { id, status, shop_id, source, integration_id, external_reference } = row;
  const { customer_name, total_amount, order_id } = row;
  const { lines_ciphertext: lines, line_count, flags, shipping_option, version, plan } = row;
  const { first_by: staff_id, first_at: at, first_name: by } = row;
  const isWaiting = fourEyes && status === 'pending' && staff_id !== null && at !== null;
  const created_at = isoOf(row.created_at);
  return {
    id,
    status,
    shop_id,
    source,
    integration_id,
    integration: row.integration,
    external_reference,
    customer_name,
    total_amount,
    order_id,
    created_at,
    updated_at: isoOf(row.updated_at),
    ...testMark(row.is_test),
    line_count,
    flags,
    shipping_option,
    version,
    plan,
    erased_at: row.erased_at && isoOf(row.erased_at),
    lines_text: lines ? decrypt(key, lines, linesRowId(id)).toString() : '',
    expires_at: expiry.expiresAt({ status, createdAt: created_at }),
    first_approval: isWaiting ? { staff_id, by: by ?? '', at: isoOf(at) } : null,
  };
}

const SECOND_LOOK = `${WAITS_FOR_SECOND} AND ${NOT_PARKED}`;

/** Few wait apart at a time, and an index holds exactly them. */
function apartSql(condition: string, bind: Bind, orgId: string, shopId?: string): string {
  const shop = shopId === undefined ? NO_TESTS : ` AND r.shop_id = ${bind(shopId)}::uuid`;
  return `(SELECT count(*) FROM core.order_requests r
           WHERE r.org_id = ${bind(orgId)}::uuid AND ${condition}${shop})`;
}

type CountsOf = Pick<ReviewListOf, 'orgId' | 'key' | 'fourEyes'>;

const foundCounts = statement<ReviewCounts, [string, string, string | null, boolean]>(
  'review_counts_found',
  `SELECT count(*) FILTER (WHERE r.status = 'pending' AND NOT waits AND NOT is_parked)::int AS open,
     count(*) FILTER (WHERE waits)::int AS second_look,
     count(*) FILTER (WHERE is_parked)::int AS parked, core.iso(min(r.parked_until) FILTER (WHERE is_parked)) AS due_at,
     count(*) FILTER (WHERE r.status = 'needs_clarification')::int AS asked,
     count(*) FILTER (WHERE r.status IN ('${STATUSES_OF_TAB.decided.join("', '")}'))::int AS decided
   FROM core.order_requests r,
     LATERAL (SELECT $4::boolean AND ${SECOND_LOOK} AS waits, (${PARKED}) IS TRUE AS is_parked) look
   WHERE r.org_id = $1::uuid AND ${foundSql('r', 'core.order_request_words', '$2')}
     AND ($3::uuid IS NULL AND NOT r.is_test OR r.shop_id = $3::uuid)`,
);

/** Of each tab, under the search and the shop of the list. */
export async function countReviews(
  sql: Sql,
  { orgId, key, fourEyes }: CountsOf,
  { q, shop_id: shopId }: ReviewCountsQuery,
): Promise<ReviewCounts> {
  const none = { open: 0, second_look: 0, parked: 0, due_at: null, asked: 0, decided: 0 };
  if (q !== undefined) {
    const found = [orgId, requestQuery({ orgId, key }, q), shopId ?? null, fourEyes] as const;
    return (await sql.rows(foundCounts, ...found))[0] ?? none;
  }
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const isTest = testRowsFor({ kind: 'staff' }, shopId);
  const total = (tab: ReviewListQuery['tab']): string =>
    totalSql({ table: 'order_requests', orgId, shopId, statuses: STATUSES_OF_TAB[tab], isTest }, bind);
  const waiting = fourEyes ? apartSql(SECOND_LOOK, bind, orgId, shopId) : '0';
  const ofShop = shopId === undefined ? NO_TESTS : ` AND r.shop_id = ${bind(shopId)}::uuid`;
  const counts = statement<ReviewCounts, unknown[]>(
    `review_counts${fourEyes ? '_four_eyes' : ''}${shopId === undefined ? '' : '_of_shop'}`,
    `SELECT (${total('open')} - waiting.amount - parked.amount)::int AS open, waiting.amount::int AS second_look,
       parked.amount::int AS parked, core.iso(parked.due_at) AS due_at,
       ${total('asked')}::int AS asked, ${total('decided')}::int AS decided
     FROM (SELECT ${waiting} AS amount) waiting,
       (SELECT count(*) AS amount, min(r.parked_until) AS due_at FROM core.order_requests r
        WHERE r.org_id = ${bind(orgId)}::uuid AND ${PARKED}${ofShop}) parked`,
  );
  const [row] = await sql.rows(counts, ...values);
  return row ?? none;
}
