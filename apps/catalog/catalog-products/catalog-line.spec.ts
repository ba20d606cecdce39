import { completeLine, slugOf } from './catalog-line';

it.each([
  ['Blüte 22/1', 'PZN-123', 'bluete-22-1-pzn-123'],
  ['  Öl & Café  ', 'a', 'oel-cafe-a'],
  ['Straße', 'x_y', 'strasse-x-y'],
  ['日本', 'p1', 'p1'],
  ['日本', '日', ''],
])('makes of the name %j and the id %j the slug %j', (name, p1Id, slug) => {
  expect(slugOf(name, p1Id)).toBe(slug);
});

it('keeps a slug short, however long name and id are', () => {
  expect(slugOf('x'.repeat(255), 'y'.repeat(255)).length).toBeLessThanOrEqual(241);
});

it('completes a line the same way every time', () => {
  const line = { p1_id: 'a', name: 'A', price: 0.1 + 0.2 };
  expect(completeLine(line)).toEqual({
    p1_id: 'a',
    name: 'A',
    slug: 'a-a',
    description: null,
    category: null,
    price: 0.3,
    thc: null,
    cbd: null,
    available: true,
    pzn: null,
    codes: [],
    kept: ['slug', 'description', 'category', 'thc', 'cbd', 'available', 'pzn', 'codes'],
  });
  expect(completeLine({ ...line, available: false, slug: 's', thc: null, pzn: null })).toMatchObject({
    available: false,
    slug: 's',
    kept: ['description', 'category', 'cbd', 'codes'],
  });
});
