import { queryOptions } from '@tanstack/react-query';
import type { ShopSettings, ShopSettingsBody, TestShopBody } from '@offizin/contracts/orders/settings';
import { call } from '../../calls/api';

const SHOPS = '/api/v2/public/orgs/{orgId}/shops';
const SHOP = `${SHOPS}/{shopId}` as const;

/** Which shops there are. Names and domains come from each shop's settings, which know a change at once. */
export const shopsQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['shops', orgId],
    queryFn: async ({ signal }) => (await call('GET', SHOPS, { path: { orgId }, signal })).data,
  });

export const shopQuery = (orgId: string, shopId: string) =>
  queryOptions({
    queryKey: [...shopsQuery(orgId).queryKey, shopId],
    queryFn: ({ signal }) => call('GET', SHOP, { path: { orgId, shopId }, signal }),
  });

export function createTestShop(orgId: string, shop: Omit<TestShopBody, 'is_test'>): Promise<ShopSettings> {
  return call('POST', SHOPS, { path: { orgId }, body: { ...shop, is_test: true } });
}

/** The version that was on the screen, and no other. */
export function changeShop(
  orgId: string,
  { shop_id: shopId, version }: ShopSettings,
  body: ShopSettingsBody,
) {
  return call('PUT', SHOP, { path: { orgId, shopId }, header: { 'If-Match': `"${version}"` }, body });
}
