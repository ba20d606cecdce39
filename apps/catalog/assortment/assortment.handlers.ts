import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import {
  type AddableProducts,
  type AssortmentProduct,
  type AssortmentResponse,
  findAddable,
  getAssortmentProduct,
  listAssortment,
  MAX_ADDABLE_PRODUCTS,
} from '@offizin/contracts/products/assortment';
import { notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import { Database } from '@offizin/pg/database';
import { requireProductId } from '../db/product-id';
import { ShopDirectory } from '../shops/shops.handlers';
import { addableProducts, assortmentProduct, listAssortmentByName } from './assortment.store';

/** For the products screen of the console: the list of a shop, one product, and further products of the catalog. */
@Controller()
export class AssortmentHandlers {
  constructor(
    private readonly database: Database,
    private readonly shops: ShopDirectory,
  ) {}

  @Handles(listAssortment)
  async list({ caller, query }: Call<typeof listAssortment>): Promise<Answer<AssortmentResponse>> {
    await this.shops.requireShop(caller.orgId, query.shop_id);
    return ok(await listAssortmentByName(this.database, caller.orgId, query));
  }

  @Handles(getAssortmentProduct)
  async get({
    caller,
    params,
    query,
  }: Call<typeof getAssortmentProduct>): Promise<Answer<AssortmentProduct>> {
    const p1Id = requireProductId(params.p1Id);
    await this.shops.requireShop(caller.orgId, query.shop_id);
    const product = await assortmentProduct(this.database, caller.orgId, query.shop_id, p1Id);
    if (!product) throw notFound('product');
    return ok(product);
  }

  @Handles(findAddable)
  async addable({ caller, query }: Call<typeof findAddable>): Promise<Answer<AddableProducts>> {
    const requested = { words: query.q, limit: MAX_ADDABLE_PRODUCTS };
    return ok({ data: await addableProducts(this.database, caller.orgId, requested) });
  }
}
