import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import type { Answer, Call } from '@offizin/contracts/calls/operation';
import { MAX_PAGE_SIZE } from '@offizin/contracts/calls/paging';
import type { ReviewListResponse, ReviewRow } from '@offizin/contracts/requests/review';
import { exportReviews, type ReviewExportQuery } from '@offizin/contracts/exports';
import { Database } from '@offizin/pg/database';
import { DataKeys } from '../../crypto/data-keys.store';
import { cents, type CsvColumn, filtersInWords } from '../../csv/csv';
import { FLAG_WORDS, REQUEST_WORDS } from '../../csv/german';
import { CsvFiles } from '../../csv/csv-files';
import { whileLive } from '../../callers/live-caller.store';
import { requireShop, shopNames } from '../../people/directory/organizations.store';
import { ExpiryRule } from './decision';
import { hasFourEyes } from './four-eyes.store';
import { listReviewRows } from './review-list.store';

interface ReviewPage extends Pick<ReviewListResponse, 'data' | 'total'> {
  next: string | null;
}

/** Order requests as CSV. */
@Controller()
export class ReviewExportHandlers {
  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
    private readonly expiry: ExpiryRule,
    private readonly files: CsvFiles,
  ) {}

  @Handles(exportReviews)
  async export(call: Call<typeof exportReviews>): Promise<Answer<never>> {
    const { caller, query } = call;
    const { orgId } = caller;
    await requireShop(this.database, orgId, query.shop_id);
    const { tab, status, shop_id, source, flag, assigned, ids, q } = query;
    const filters = filtersInWords({ tab, status, shop_id, source, flag, assigned }, { ids, q });
    const read = whileLive(this.database, caller, (cursor) => this.page(caller, query, cursor));
    return this.files.answer(call, {
      name: 'order-requests',
      action: 'order-request.export',
      read,
      objectOf: ({ total }) => `request-export:${total} ${filters}`,
      columns: reviewColumns(await shopNames(this.database, orgId)),
      rowsOf: ({ data }) => data,
    });
  }

  private async page(
    { orgId }: Caller,
    filters: ReviewExportQuery,
    cursor: string | null,
  ): Promise<ReviewPage> {
    const key = await this.dataKeys.keyOf(orgId);
    const fourEyes = await hasFourEyes(this.database, orgId);
    const query = { ...filters, limit: MAX_PAGE_SIZE, ...(cursor !== null && { cursor }) };
    const of = { orgId, key, expiry: this.expiry, fourEyes };
    const { next_cursor: next, ...page } = await listReviewRows(
      this.database.reads,
      of,
      query,
      cursor === null,
    );
    return { ...page, next };
  }
}

/** Part of the contract: append, never rename or reorder. */
function reviewColumns(shops: ReadonlyMap<string, string>): CsvColumn<ReviewRow>[] {
  return [
    ['order_request_id', ({ id }) => id],
    ['status', ({ status }) => status, REQUEST_WORDS],
    ['shop_id', ({ shop_id }) => shop_id],
    ['shop_name', ({ shop_id }) => shops.get(shop_id) ?? null],
    ['source', ({ source }) => source],
    ['external_reference', ({ external_reference }) => external_reference],
    ['customer_name', ({ customer_name }) => customer_name],
    ['lines', ({ lines_text }) => lines_text],
    ['line_count', ({ line_count }) => line_count],
    ['total_amount', ({ total_amount }) => cents(total_amount)],
    ['shipping_option', ({ shipping_option }) => shipping_option],
    ['flags', ({ flags }) => flags.join(' '), FLAG_WORDS],
    ['version', ({ version }) => version],
    ['first_approval_by', ({ first_approval }) => first_approval?.by ?? null],
    ['first_approval_at', ({ first_approval }) => first_approval?.at ?? null],
    ['order_id', ({ order_id }) => order_id],
    ['created_at', ({ created_at }) => created_at],
    ['updated_at', ({ updated_at }) => updated_at],
    ['expires_at', ({ expires_at }) => expires_at],
    ['assigned_to', ({ plan }) => plan.assigned_to?.name ?? null],
    ['parked_until', ({ plan }) => plan.parked_until],
    ['integration', ({ integration }) => integration],
  ];
}
