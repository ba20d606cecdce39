import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { type Answer, type Call, ok } from '@offizin/contracts/operation';
import { listShops, type ShopListResponse } from '@offizin/contracts/products';
import { ShopDirectory } from './shop-directory';

@Controller()
export class ShopsHandlers {
  constructor(private readonly shops: ShopDirectory) {}

  @Handles(listShops)
  async list({ caller }: Call<typeof listShops>): Promise<Answer<ShopListResponse>> {
    return ok({ data: await this.shops.list(caller.orgId) });
  }
}
