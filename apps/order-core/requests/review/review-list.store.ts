import { testMark } from '@offizin/contracts/calls/test-mark';
import type { OrderRequestStatus } from '@offizin/contracts/requests/order-requests';
import {
  REVIEW_FLAGS,
  REVIEW_OUTCOMES,
  type ReviewCounts,
  type ReviewFlag,
  type ReviewListQuery,
  type ReviewListResponse,
  type ReviewRow,
} from '@offizin/contracts/requests/review';
import { type Sql, statement } from '@offizin/pg/database';
import {
  type Bind,
  given,
  isoOf,
  type ListFilter,
  listPage,
  prefixPattern,
  utcText,
} from '@offizin/pg/list-page';
import { testRowsFor } from '../../callers/test-rows';
import { totalSql } from '../../orders/counts/counts.store';
import { decrypt } from '../../crypto/encryption';
import type { ExpiryRule } from './decision';
import { WAITS_FOR_SECOND } from './four-eyes.store';
import { linesRowId, searchFolded } from '../intake/list-columns';
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

type ListedRow = Omit<ReviewRow, 'lines_text' | 'expires_at' | 'first_approval'> & {
  lines_ciphertext: Buffer | null;
  first_by: string | null;
  first_name: string | null;
  first_at: string | null;
  is_test: boolean;
};

const COLUMNS = `r.id, r.status, r.shop_id, r.source, r.external_reference, r.customer_name,
  r.total_amount::float8 AS total_amount, r.order_id, ${utcText('r.created_at')} AS created_at,
  ${utcText('r.updated_at')} AS updated_at, r.lines_ciphertext, r.line_count, r.shipping_option, r.version,
  r.first_approved_by AS first_by, ${utcText('r.first_approved_at')} AS first_at, r.is_test,
  (SELECT name FROM core.staff WHERE id = r.first_approved_by) AS first_name, ${PLAN} AS plan`;

export interface ReviewListOf {
  orgId: string;
  /** Who reads. */
  actorId: string;
  key: Buffer;
  expiry: ExpiryRule;
  fourEyes: boolean;
}

export async function listReviewRows(
  sql: Sql,
  { orgId, actorId, key, expiry, fourEyes }: ReviewListOf,
  query: ReviewListQuery,
  /** Only the first page of a file needs the total. */
  needsTotal = true,
): Promise<ReviewListResponse> {
  const { tab, status, sort, limit, cursor } = query;
  const statuses = STATUSES_OF_TAB[tab].filter((one) => status === undefined || one === status);
  if (statuses.length === 0 || (tab === 'second_look' && !fourEyes))
    return { data: [], total: 0, next_cursor: null };
  const filters = filtersOf({ orgId, actorId }, statuses, query, { expiry, fourEyes });
  const { data, pagination } = await listPage(sql, {
    // The text depends on the days, which are no parameter.
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

function isCounted({ tab, source, flag, assigned, q }: ReviewListQuery): boolean {
  const isNarrowed = [source, flag, assigned, q].some((value) => value !== undefined);
  return tab !== 'second_look' && tab !== 'parked' && !isNarrowed;
}

/** Statuses and flag are part of the text: the planner then finds the index of the tab. */
function filtersOf(
  { orgId, actorId }: Pick<ReviewListOf, 'orgId' | 'actorId'>,
  statuses: readonly OrderRequestStatus[],
  { tab, shop_id, source, flag, assigned, q }: ReviewListQuery,
  { expiry, fourEyes }: { expiry: ExpiryRule; fourEyes: boolean },
): ListFilter[] {
  const list = statuses.map((status) => `'${status}'`).join(', ');
  const flagged = flag === undefined ? '' : ` AND ${flagCondition(flag, expiry.days)}`;
  const shops = shop_id === undefined ? NO_TESTS : '';
  const narrowed = `${shops}${tabSql(tab, fourEyes)}${assigned === 'nobody' ? ' AND r.assigned_to IS NULL' : ''}`;
  const pattern = q === undefined ? undefined : `%${prefixPattern(searchFolded(q))}`;
  return given([
    {
      key: `org ${list} ${flag} ${narrowed}`,
      sql: `r.org_id = $::uuid AND r.status IN (${list})${narrowed}${flagged}`,
      value: orgId,
    },
    { key: 'shop', sql: 'r.shop_id = $::uuid', value: shop_id },
    { key: 'source', sql: 'r.source = $', value: source },
    { key: 'mine', sql: 'r.assigned_to = $::uuid', value: assigned === 'me' ? actorId : undefined },
    { key: 'q', sql: 'r.search_text LIKE $', value: pattern },
  ]);
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
  const { id, status, shop_id, source, external_reference, customer_name, total_amount, order_id } = row;
  const { lines_ciphertext: lines, line_count, flags, shipping_option, version, plan } = row;
  const { first_by: staff_id, first_at: at, first_name: by } = row;
  const isWaiting = fourEyes && status === 'pending' && staff_id !== null && at !== null;
  const created_at = isoOf(row.created_at);
  return {
    id,
    status,
    shop_id,
    source,
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

export async function countReviews(sql: Sql, orgId: string, fourEyes: boolean): Promise<ReviewCounts> {
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const total = (tab: ReviewListQuery['tab']): string =>
    totalSql({ table: 'order_requests', orgId, statuses: STATUSES_OF_TAB[tab], isTest: false }, bind);
  const waiting = fourEyes ? apartSql(SECOND_LOOK, bind, orgId) : '0';
  const counts = statement<ReviewCounts, unknown[]>(
    fourEyes ? 'review_counts_four_eyes' : 'review_counts',
    `SELECT (${total('open')} - waiting.amount - parked.amount)::int AS open, waiting.amount::int AS second_look,
       parked.amount::int AS parked, core.iso(parked.due_at) AS due_at,
       ${total('asked')}::int AS asked, ${total('decided')}::int AS decided
     FROM (SELECT ${waiting} AS amount) waiting,
       (SELECT count(*) AS amount, min(r.parked_until) AS due_at FROM core.order_requests r
        WHERE r.org_id = ${bind(orgId)}::uuid AND ${PARKED}${NO_TESTS}) parked`,
  );
  const [row] = await sql.rows(counts, ...values);
  return row ?? { open: 0, second_look: 0, parked: 0, due_at: null, asked: 0, decided: 0 };
}
