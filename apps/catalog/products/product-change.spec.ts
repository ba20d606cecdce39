import { changedValues, type ProductValues, removesThc } from './product-change';

const present: ProductValues = {
  name: 'Own',
  slug: 'own',
  description: null,
  category: null,
  price: 5,
  thc: null,
  cbd: 1.5,
  available: null,
  low_stock_threshold: 3,
  pzn: '03752864',
  codes: ['04006381333931', '00036000291452'],
};

it('returns only the values that differ', () => {
  const given = {
    name: 'Own',
    slug: 'new',
    description: '',
    price: 5.000000000000001,
    cbd: 1.5,
    available: false,
  };
  expect(changedValues(present, given, 'catalog')).toEqual({
    slug: 'new',
    description: '',
    available: false,
  });
});

it('compares codes as sets; null is the catalog, an empty list is none', () => {
  expect(changedValues(present, { codes: [...(present.codes ?? [])].reverse() }, 'catalog')).toEqual({});
  expect(changedValues(present, { codes: ['04006381333931'] }, 'catalog')).toEqual({
    codes: ['04006381333931'],
  });
  expect(changedValues(present, { pzn: null, codes: null }, 'catalog')).toEqual({ pzn: null, codes: null });
  expect(changedValues({ ...present, codes: null }, { codes: [] }, 'catalog')).toEqual({ codes: [] });
});

it('treats null as the value of the catalog', () => {
  const given = { name: null, slug: null, category: null, price: null, low_stock_threshold: null };
  expect(changedValues(present, given, 'catalog')).toEqual({
    name: null,
    slug: 'catalog',
    price: null,
    low_stock_threshold: 0,
  });
});

it('leaves a missing or undefined field unchanged', () => {
  expect(changedValues(present, {}, 'catalog')).toEqual({});
  expect(changedValues(present, { name: undefined }, 'catalog')).toEqual({});
});

it.each([
  [22, null, 0, true],
  [22, null, null, true],
  [null, 22, 0, true],
  [22, null, 0.1, false],
  [22, 18, null, false],
  [null, null, 0, false],
  [0, 22, 0, false],
  [22, null, undefined, false],
])('removes THC from own %s over catalog %s by %s: %s', (thc, catalog_thc, given, removes) => {
  expect(removesThc({ thc, catalog_thc }, given === undefined ? { price: 1 } : { thc: given })).toBe(removes);
});
