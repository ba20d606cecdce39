import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { type Answer, type Call, ok } from '@offizin/contracts/operation';
import { listShops, MAX_SHOPS, type Shop, type ShopListResponse } from '@offizin/contracts/products';
import { pageOf } from '@offizin/operations/cursor-pages';
import { ShopDirectory } from './shop-directory';

const SHOP_LIST = { name: 'shops', keyOf: ({ shop_id }: Shop) => shop_id };

@Controller()
export class ShopsHandlers {
  constructor(private readonly shops: ShopDirectory) {}

  @Handles(listShops)
  async list({ caller, query }: Call<typeof listShops>): Promise<Answer<ShopListResponse>> {
    const { limit = MAX_SHOPS, cursor } = query;
    return ok(pageOf(await this.shops.list(caller.orgId), { limit, cursor }, SHOP_LIST));
  }
}
