import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { actorOf, type Caller } from '@offizin/contracts/calls/caller';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import type { OrderRequestPayload } from '@offizin/contracts/requests/order-requests';
import {
  countRequests,
  getReview,
  listReviews,
  type ReferenceOrder,
  type ReviewCounts,
  type ReviewCustomer,
  type ReviewDetail,
  type ReviewFirstApproval,
  type ReviewLine,
  type ReviewListResponse,
} from '@offizin/contracts/requests/review';
import { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { isSameName } from '@offizin/pg/search-words';
import { ReadAudit } from '../../audit/read-audit';
import { versionObject } from '../../audit/read-objects';
import { DataKeys } from '../../crypto/data-keys.store';
import { emailHash } from '../../crypto/encryption';
import { requireShop } from '../../people/directory/organizations.store';
import { correctedItems, openedOverride } from './corrections';
import { ExpiryRule } from './decision';
import { contentOfFirst, firstApproverName, hasFourEyes } from './four-eyes.store';
import { findRequest, type OrderRequestRow } from '../intake/order-requests.store';
import { requestDetail } from './request-detail.store';
import { remarksIn } from '../intake/remarks';
import { linesOf } from '../intake/submission';
import { storedPayload } from '../intake/submission-content';
import { marksOf, NO_MARKS } from './marks.store';
import { checkOf, identityOf } from './prescribers.store';
import { planOf } from './plan.store';
import { ProductChecks } from '../intake/product-checks';
import { historyOf, NO_CUSTOMER, otherRecordsOf, othersOfReference } from './review-detail.store';
import { countReviews, listReviewRows } from './review-list.store';
import type { ReviewProduct } from '@offizin/contracts/requests/review-products';

/** What the review screen of the console reads: the list, the counts of its tabs, and one request with its checks. */
@Controller()
export class ReviewScreenHandlers {
  private readonly audit: ReadAudit;

  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
    private readonly products: ProductChecks,
    private readonly expiry: ExpiryRule,
  ) {
    this.audit = new ReadAudit(database);
  }

  @Handles(listReviews)
  async list({ caller, query }: Call<typeof listReviews>): Promise<Answer<ReviewListResponse>> {
    const { orgId } = caller;
    await requireShop(this.database, orgId, query.shop_id);
    const key = await this.dataKeys.keyOf(orgId);
    const fourEyes = await hasFourEyes(this.database, orgId);
    const of = { orgId, key, expiry: this.expiry, fourEyes };
    return ok(await listReviewRows(this.database.reads, of, query));
  }

  @Handles(countRequests)
  async count({ caller, query }: Call<typeof countRequests>): Promise<Answer<ReviewCounts>> {
    const { orgId } = caller;
    await requireShop(this.database, orgId, query.shop_id);
    const key = await this.dataKeys.keyOf(orgId);
    const of = { orgId, key, fourEyes: await hasFourEyes(this.database, orgId) };
    return ok(await countReviews(this.database, of, query));
  }

  @Handles(getReview)
  async get({ caller, params: { requestId } }: Call<typeof getReview>): Promise<Answer<ReviewDetail>> {
    const { orgId } = caller;
    const row = isId(requestId) ? await findRequest(this.database, orgId, requestId) : null;
    if (!row) throw notFound('order request');
    const object = versionObject(`order-request:${requestId}`, row.version);
    // The page may fetch ahead; noteView records that a person looked at it.
    await this.audit.append(caller, 'order-request.fetch', object);
    return ok(await this.detail(caller, row));
  }

  private async detail(caller: Caller, row: OrderRequestRow): Promise<ReviewDetail> {
    const { id: requestId, org_id: orgId, status, version } = row;
    const key = await this.dataKeys.keyOf(orgId);
    const detail = await requestDetail(this.database, this.dataKeys, row);
    const payload = storedPayload(detail.payload);
    const first = await this.firstOf(row, key);
    const items = first && correctedItems(first.corrections);
    const p1Ids = [...linesOf(payload), ...(items ?? [])].flatMap(({ p1_id }) => p1_id ?? []);
    const products = await this.products.productsOf(caller, p1Ids);
    return {
      ...detail,
      offer_version: row.offer_version,
      expires_at: this.expiry.expiresAt({ status, createdAt: detail.created_at }),
      lines: reviewLines(payload, products),
      lines_checked: products !== null,
      reference_order: await this.referenceOrderOf(row, key, payload.customer_email ?? ''),
      customer: await this.customerOf(row, key, payload.customer_email ?? ''),
      remarks: remarksIn(detail.payload, row.metadata),
      marks: await marksOf(this.database, key, { orgId, requestId, version, actor: actorOf(caller) }),
      override: openedOverride(key, row),
      prescriber_check: await checkOf(this.database, orgId, identityOf(key, payload.prescriber, row.is_test)),
      history: await historyOf(this.database, orgId, requestId),
      plan: await planOf(this.database, orgId, requestId),
      first_approval: first && { ...first, lines: items && reviewLines({ items }, products) },
    };
  }

  /** While it waits for the second, and after the second. */
  private async firstOf(
    row: OrderRequestRow,
    key: Buffer,
  ): Promise<Omit<ReviewFirstApproval, 'lines'> | null> {
    const { org_id: orgId, status, first_approved_by: staffId, first_approved_at: at } = row;
    if (staffId === null || at === null) return null;
    if (status === 'pending' && !(await hasFourEyes(this.database, orgId))) return null;
    const by = await firstApproverName(this.database, orgId, staffId);
    const content = contentOfFirst(key, row) ?? { corrections: null, override: null, marks: NO_MARKS };
    return { staff_id: staffId, by, at: at.toISOString(), ...content };
  }

  private async referenceOrderOf(
    { org_id: orgId, id, customer_name: name }: OrderRequestRow,
    key: Buffer,
    email: string,
  ): Promise<ReferenceOrder | null> {
    const others = await othersOfReference(this.database, orgId, id);
    const digest = email === '' ? null : emailHash(key, email);
    const found = others.map(({ customer_name, customer_email, customer_digest, ...other }) => {
      const theirs = customer_digest ?? emailHash(key, customer_email ?? '');
      const same_customer = isSameName(name ?? '', customer_name ?? '') || (digest?.equals(theirs) ?? false);
      return { ...other, same_customer };
    });
    // The same customer may have ordered twice.
    return found.find(({ same_customer }) => same_customer) ?? found[0] ?? null;
  }

  /** A name is not unique, so that only an e-mail address identifies a customer. */
  private async customerOf(row: OrderRequestRow, key: Buffer, email: string): Promise<ReviewCustomer> {
    if (email === '') return NO_CUSTOMER;
    const of = { requestId: row.id, email, digest: emailHash(key, email), isTest: row.is_test };
    return otherRecordsOf(this.database, row.org_id, of);
  }
}

/** The lines of a request beside what the catalog knows; `products` is null when it did not answer. */
function reviewLines(
  payload: Pick<OrderRequestPayload, 'items'>,
  products: readonly ReviewProduct[] | null,
): ReviewLine[] {
  const byId = new Map(products?.map((product) => [product.p1_id, product]));
  return linesOf(payload).map((line) => {
    const product = line.p1_id === null ? undefined : byId.get(line.p1_id);
    const { category = null, thc = null, cbd = null, available = null, price = null } = product ?? {};
    const isStocked = product?.in_inventory ?? false;
    return {
      ...line,
      in_inventory: isStocked,
      product_name: isStocked ? (product?.name ?? null) : null,
      category,
      thc,
      cbd,
      available,
      catalog_price: price,
    };
  });
}
