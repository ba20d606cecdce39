import { priceOf, sourceOf } from './layers';

it('takes the value of the shop before that of the organization before that of the catalog', () => {
  expect(sourceOf({ catalog: 9.5, organization: 8, shop: 7 })).toBe('shop');
  expect(sourceOf({ catalog: 9.5, organization: 8, shop: null })).toBe('organization');
  expect(sourceOf({ catalog: 9.5, organization: null, shop: null })).toBe('catalog');
  expect(priceOf({ catalog: 9.5, organization: 8, shop: null })).toBe(8);
});

it('knows a value that says no or nothing, and that there may be none', () => {
  expect(sourceOf({ catalog: true, organization: null, shop: false })).toBe('shop');
  expect(priceOf({ catalog: 9.5, organization: 8, shop: 0 })).toBe(0);
  expect(sourceOf({ catalog: null, organization: null, shop: null })).toBeNull();
});
