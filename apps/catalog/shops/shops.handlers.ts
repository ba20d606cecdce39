import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import { listShops, MAX_SHOPS, type Shop, type ShopListResponse } from '@offizin/contracts/products/products';
import { pageOf } from '@offizin/operations/cursor-pages';
import { notFound, Unreachable } from '@offizin/contracts/calls/errors';
import type { ShopRecord } from '@offizin/directory/records';
import type { DirectoryReplica } from '@offizin/directory/replica';

const SHOP_LIST = { name: 'shops', keyOf: ({ shop_id }: Shop) => shop_id };

export type ShopRecords = Pick<DirectoryReplica, 'shop' | 'shopsOf' | 'checkSynchronized'>;

/** The shops of an organization, from this process's replica of the directory. */
export class ShopDirectory {
  constructor(private readonly replica: ShopRecords) {}

  /** In the order of their ids, inactive ones included. */
  async list(orgId: string): Promise<Shop[]> {
    await this.checkArrived();
    const shops = this.replica.shopsOf(orgId);
    return shops.map(({ shop_id, name, is_active, is_test = false }) => ({
      shop_id,
      name,
      is_active,
      is_test,
    }));
  }

  /** Throws `Refused` (not_found) for an unknown shop and for one of another organization, indistinguishably. */
  async requireShop(orgId: string, shopId: string): Promise<ShopRecord> {
    await this.checkArrived();
    const shop = this.replica.shop(orgId, shopId);
    if (!shop) throw notFound('shop');
    return shop;
  }

  /** An empty replica must not answer that a shop is unknown. */
  private async checkArrived(): Promise<void> {
    try {
      await this.replica.checkSynchronized();
    } catch {
      throw new Unreachable(
        'service_unavailable',
        'The directory has not arrived yet. Try again in a moment.',
      );
    }
  }
}

@Controller()
export class ShopsHandlers {
  constructor(private readonly shops: ShopDirectory) {}

  @Handles(listShops)
  async list({ caller, query }: Call<typeof listShops>): Promise<Answer<ShopListResponse>> {
    const { limit = MAX_SHOPS, cursor } = query;
    return ok(pageOf(await this.shops.list(caller.orgId), { limit, cursor }, SHOP_LIST));
  }
}
