import { queryOptions } from '@tanstack/react-query';
import type { ShopSettings, ShopSettingsBody, TestShopBody } from '@offizin/contracts/orders/settings';
import { call } from '../../calls/api';

const SHOPS = '/api/v2/public/orgs/{orgId}/shops';
const SHOP = `${SHOPS}/{shopId}` as const;

/** Which shops there are. Names and domains come from each shop's settings, which have a change immediately. */
export const shopsQuery = queryOptions({
  queryKey: ['shops'],
  queryFn: async ({ signal }) => (await call('GET', SHOPS, { signal })).data,
});

export const shopQuery = (shopId: string) =>
  queryOptions({
    queryKey: [...shopsQuery.queryKey, shopId],
    queryFn: ({ signal }) => call('GET', SHOP, { path: { shopId }, signal }),
  });

export function createTestShop(shop: Omit<TestShopBody, 'is_test'>): Promise<ShopSettings> {
  return call('POST', SHOPS, { body: { ...shop, is_test: true } });
}

/** The version that was on the screen, and no other. */
export function changeShop({ shop_id: shopId, version }: ShopSettings, body: ShopSettingsBody) {
  return call('PUT', SHOP, { path: { shopId }, header: { 'If-Match': `"${version}"` }, body });
}
