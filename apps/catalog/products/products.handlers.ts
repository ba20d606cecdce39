import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok, okJson } from '@offizin/contracts/calls/operation';
import {
  getProduct,
  listForPartner,
  listProducts,
  type PartnerProductsResponse,
  type Product,
  type ProductListResponse,
  updateProduct,
} from '@offizin/contracts/products/products';
import {
  findProducts,
  findReviewProducts,
  type FoundReviewProducts,
  MAX_FOUND_EACH,
  MAX_FOUND_PRODUCTS,
  productsForReview,
  type ReviewProductsResponse,
} from '@offizin/contracts/requests/review-products';
import { Database, isUniqueViolation, type Sql } from '@offizin/pg/database';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { ReadCoalescer } from '@offizin/pg/read-coalescer';
import { requireOrganizationId, requireProductId } from '../db/product-id';
import { ShopDirectory } from '../shops/shops.handlers';
import { changeProduct } from './change-product';
import { FourEyesGuard } from './four-eyes';
import {
  findForReview,
  organizationProductJson,
  partnerProductsJson,
  productListJson,
  reviewProducts,
  shopProductJson,
} from './products.store';

@Controller()
export class ProductsHandlers {
  private readonly readers: { alone: Sql; shared: Sql };

  constructor(
    private readonly database: Database,
    private readonly relay: OutboxRelay,
    private readonly shops: ShopDirectory,
    private readonly fourEyes: FourEyesGuard,
  ) {
    this.readers = { alone: database, shared: new ReadCoalescer(database) };
  }

  @Handles(listProducts)
  async list({ caller, query }: Call<typeof listProducts>): Promise<Answer<ProductListResponse>> {
    await this.shops.requireShop(caller.orgId, query.shop_id);
    return okJson(await productListJson(this.readers, caller.orgId, query));
  }

  @Handles(listForPartner)
  async listForPartner({ body }: Call<typeof listForPartner>): Promise<Answer<PartnerProductsResponse>> {
    return okJson(await partnerProductsJson(this.database, body));
  }

  @Handles(getProduct)
  async get({ caller, params, query }: Call<typeof getProduct>): Promise<Answer<Product>> {
    const p1Id = requireProductId(params.p1Id);
    let json: string | null;
    if (query.shop_id === undefined) {
      json = await organizationProductJson(this.database, caller.orgId, p1Id);
    } else {
      await this.shops.requireShop(caller.orgId, query.shop_id);
      json = await shopProductJson(this.database, caller.orgId, query.shop_id, p1Id);
    }
    if (json === null) throw notFound('product');
    return okJson(json);
  }

  @Handles(productsForReview)
  async forReview({ body }: Call<typeof productsForReview>): Promise<Answer<ReviewProductsResponse>> {
    const { org_id: orgId, p1_ids: p1Ids, shop_id: shopId } = body;
    requireOrganizationId(orgId);
    return ok({ products: await reviewProducts(this.database, orgId, p1Ids, shopId) });
  }

  @Handles(findProducts)
  async findAny({ body }: Call<typeof findProducts>): Promise<Answer<ReviewProductsResponse>> {
    const { org_id: orgId, q: words } = body;
    requireOrganizationId(orgId);
    return ok({ products: await findForReview(this.database, orgId, { words, limit: MAX_FOUND_EACH }) });
  }

  @Handles(findReviewProducts)
  async find({ caller, query }: Call<typeof findReviewProducts>): Promise<Answer<FoundReviewProducts>> {
    const requested = { words: query.q, limit: MAX_FOUND_PRODUCTS };
    return ok({ data: await findForReview(this.database, caller.orgId, requested) });
  }

  @Handles(updateProduct)
  async update({ caller, params, body }: Call<typeof updateProduct>): Promise<Answer<Product>> {
    const p1Id = requireProductId(params.p1Id);
    const watch = await this.fourEyes.watch(caller, body);
    try {
      const json = await this.database.transaction(async (tx) => {
        await changeProduct(tx, caller, p1Id, { given: body, watch });
        return organizationProductJson(tx, caller.orgId, p1Id);
      });
      this.relay.wake();
      return okJson(json ?? '');
    } catch (error) {
      if (!isUniqueViolation(error, 'inventory_slug')) throw error;
      throw new Refused(
        'conflict',
        'Another product of this organization has this slug: choose another one.',
      );
    }
  }
}
