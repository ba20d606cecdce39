import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, okPieces } from '@offizin/contracts/calls/operation';
import { MAX_PAGE_SIZE } from '@offizin/contracts/calls/paging';
import type { ReviewListResponse, ReviewRow } from '@offizin/contracts/requests/review';
import { exportReviews, type ReviewExportQuery } from '@offizin/contracts/exports';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { ReadAudit } from '../../audit/read-audit';
import { DataKeys } from '../../crypto/data-keys.store';
import { cents, type CsvColumn, csvDialect, csvHead, csvHeaders, csvName, csvRows } from '../../csv/csv';
import { FLAG_WORDS, REQUEST_WORDS } from '../../csv/german';
import { CsvFiles } from '../../csv/csv-files';
import { shopExists, shopNames } from '../../people/directory/directory.store';
import { whileLive } from '../../callers/live-caller.store';
import { ExpiryRule } from './decision';
import { hasFourEyes } from './four-eyes.store';
import { listReviewRows } from './review-list.store';

interface ReviewPage extends Pick<ReviewListResponse, 'data' | 'total'> {
  next: string | null;
}

/** Order requests as CSV. */
@Controller()
export class ReviewExportHandlers {
  private readonly readAudit: ReadAudit;

  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
    private readonly expiry: ExpiryRule,
    private readonly files: CsvFiles,
  ) {
    this.readAudit = new ReadAudit(database);
  }

  @Handles(exportReviews)
  async export({ caller, query, headers }: Call<typeof exportReviews>): Promise<Answer<never>> {
    const { orgId } = caller;
    const { shop_id: shopId } = query;
    const isKnown =
      shopId === undefined || (isId(shopId) && (await shopExists(this.database, orgId, shopId)));
    if (!isKnown) throw notFound('shop');
    const dialect = csvDialect(headers.accept, caller.kind);
    const columns = reviewColumns(await shopNames(this.database, orgId));
    const read = whileLive(this.database, caller, (cursor) => this.page(caller, query, cursor));
    const pieces = await this.files.write(orgId, {
      read,
      begin: async ({ total }) => {
        const object = `request-export:${total} ${inWords(query)}`;
        await this.readAudit.append(caller, 'order-request.export', object);
        return csvHead(columns, dialect);
      },
      rows: ({ data }) => csvRows(columns, data, dialect),
    });
    return okPieces(pieces, csvHeaders(dialect, csvName('order-requests', Date.now())));
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

/** For the audit log: which filters, and only those values that name no customer. */
function inWords({ tab, status, shop_id, source, flag, assigned, ids, q }: ReviewExportQuery): string {
  const values = Object.entries({ tab, status, shop_id, source, flag, assigned });
  const shown = values.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  const unnamed = Object.entries({ ids, q }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return [...shown, ...unnamed].join(' ');
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
  ];
}
