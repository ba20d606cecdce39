import { gtinOf, pznOf } from '@offizin/codes/product-numbers';
import { importCatalog } from '@offizin/contracts/products/catalog-import';
import { listCatalogProducts } from '@offizin/contracts/products/catalog-products';
import { findAddable, listAssortment } from '@offizin/contracts/products/assortment';
import { addToInventory, listInventory } from '@offizin/contracts/products/inventory';
import { listStock } from '@offizin/contracts/products/stock';
import { attachProduct, getProduct, listProducts, updateProduct } from '@offizin/contracts/products/products';
import { findProducts } from '@offizin/contracts/requests/review-products';
import { changeOf, rowsOf } from '@offizin/pg/queries';
import { race } from '@offizin/testkit/race';
import type { ProductCodeRow } from '../db/entities';
import { writeCodesEverywhere } from '../db/product-codes';
import { CatalogFixture, catalogSpec } from '../spec/spec-fixture';

let shop: CatalogFixture;
const test = catalogSpec((made) => (shop = made), { isShared: true });

let numbers = 0;
/** Of 7 digits and the check digit that makes it one; each time another. */
function nextPzn(): string {
  numbers += 1;
  const known = '0123456789'.split('').map((check) => pznOf(`${2_000_000 + numbers}${check}`));
  return known.find((pzn) => pzn !== null) ?? nextPzn();
}
function nextGtin(): string {
  numbers += 1;
  const known = '0123456789'.split('').map((check) => gtinOf(`${400_500_000_000 + numbers}${check}`));
  return known.find((gtin) => gtin !== null) ?? '';
}

const update = (p1Id: string, body: object, of = shop) => of.call(updateProduct, { params: { p1Id }, body });
/** What the import answers; its dry run has answered the same. */
async function load(...given: object[]) {
  const lines = given.map((line) => ({ name: 'Tee', price: 1, ...line }));
  const dryRun = await shop.call(importCatalog, { body: { lines, dry_run: true } });
  const { body } = await shop.call(importCatalog, { body: { lines } });
  expect(dryRun.body).toEqual(body);
  return body;
}
const codesOf = async (p1Id: string) => {
  const { pzn, codes } = (await shop.call(getProduct, { params: { p1Id } })).body;
  return { pzn, codes };
};

/** The ids of products with the code: of the inventory, and of what the shop offers. */
async function found(code: string): Promise<string[][]> {
  const inventory = await shop.call(listInventory, { query: `code=${code}` });
  const offered = await shop.call(listProducts, { query: `shop_id=${shop.shopId}&code=${code}` });
  return [inventory, offered].map(({ body }) => body.data.map(({ p1_id: id }) => id));
}

/** Rows that do not count. */
const staleRows = rowsOf<Pick<ProductCodeRow, 'p1_id' | 'code'>, [string]>(
  'spec_stale_codes',
  `SELECT c.p1_id, c.code FROM catalog.product_codes c
     JOIN catalog.inventory i ON i.org_id = c.org_id AND i.p1_id = c.p1_id JOIN catalog.products p ON p.p1_id = c.p1_id
   WHERE c.org_id = $1
     AND c.code <> ALL (catalog.codes_that_count(coalesce(i.pzn, p.pzn), coalesce(i.codes, p.codes)))`,
);

const addElsewhere = changeOf<[p1Id: string, count: number]>(
  'spec_add_elsewhere',
  `INSERT INTO catalog.inventory (org_id, p1_id, slug) SELECT gen_random_uuid(), $1, 'same' FROM generate_series(1, $2)`,
);
const countLocks = rowsOf<{ count: number }, []>(
  'spec_count_locks',
  `SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`,
);

it("takes the catalog's codes until the organization has its own; null falls back, an empty list is none", async () => {
  const [pzn, gtin, ownPzn, ownGtin] = [nextPzn(), nextGtin(), nextPzn(), nextGtin()];
  const p1 = await shop.stocked(1, { pzn, codes: [gtin.slice(1), gtin] });
  await shop.call(attachProduct, { body: { shop_id: shop.shopId, p1_id: p1 } });
  expect(await codesOf(p1)).toEqual({ pzn, codes: [gtin] });
  for (const code of [pzn, gtin, gtin.slice(1)]) expect(await found(code)).toEqual([[p1], [p1]]);

  expect((await update(p1, { pzn: ownPzn, codes: [ownGtin] })).status).toBe(200);
  expect(await codesOf(p1)).toEqual({ pzn: ownPzn, codes: [ownGtin] });
  for (const code of [pzn, gtin]) expect(await found(code)).toEqual([[], []]);
  for (const code of [ownPzn, ownGtin]) expect(await found(code)).toEqual([[p1], [p1]]);

  await update(p1, { pzn: null, codes: [] });
  expect(await codesOf(p1)).toEqual({ pzn, codes: [] });
  expect([await found(pzn), await found(gtin)]).toEqual([
    [[p1], [p1]],
    [[], []],
  ]);
  await update(p1, { codes: null });
  expect(await found(gtin)).toEqual([[p1], [p1]]);
});

it('finds a product by an NTIN of its PZN, and by the PZN of its NTIN', async () => {
  const [one, two] = [
    await shop.stocked(1, { pzn: '3752864' }),
    await shop.stocked(1, { codes: ['4150012345623'] }),
  ];
  expect(await codesOf(one)).toEqual({ pzn: '03752864', codes: [] });
  expect(await found('04150037528643')).toEqual([[one], []]);
  expect(await found('01234562')).toEqual([[two], []]);
  expect(await found('1234562')).toEqual([[two], []]);
});

it('finds products by a part of their codes', async () => {
  const [pzn, gtin] = [nextPzn(), nextGtin()];
  const p1 = await shop.stocked(1, { pzn, codes: [gtin] });
  for (const q of [pzn, gtin, gtin.slice(1, 13)]) {
    expect((await shop.call(listInventory, { query: `q=${q}` })).body.data).toMatchObject([{ p1_id: p1 }]);
    expect((await shop.call(listCatalogProducts, { query: `q=${q}` })).body.data).toMatchObject([
      { p1_id: p1 },
    ]);
    // In the console's palette.
    const body = { org_id: shop.orgId, q };
    expect((await shop.call(findProducts, { body })).body.products).toMatchObject([{ p1_id: p1 }]);
  }
});

it.each([
  ['Code 39 of a PZN', '-07654325'],
  ['the same with its identifier', ']A0-07654325'],
  ['a PZN as it is printed', 'PZN-07654325'],
  ['a DataMatrix with lot and day', ']d20104150076543256\x1d10AB123\x1d17270630'],
  ['the NTIN of the PZN', '04150076543256'],
])('finds a product by %s in a search field', async (_, code) => {
  const mine = new CatalogFixture(test.database);
  const [p1, other] = [await mine.stocked(1, { pzn: '07654325' }), await mine.product({ pzn: '07654325' })];
  await mine.call(attachProduct, { body: { shop_id: mine.shopId, p1_id: p1 } });
  const q = encodeURIComponent(code);
  for (const [list, query] of [
    [listInventory, `q=${q}`],
    [listProducts, `shop_id=${mine.shopId}&q=${q}`],
    [listStock, `q=${q}`],
    [listAssortment, `shop_id=${mine.shopId}&q=${q}`],
  ] as const)
    expect((await mine.call(list, { query })).body.data.map(({ p1_id: id }) => id)).toEqual([p1]);
  const { body } = await mine.call(findProducts, { body: { org_id: mine.orgId, q: code } });
  expect(body.products).toMatchObject([{ p1_id: p1 }]);
  const addable = await mine.call(findAddable, { query: `q=${q}` });
  expect(addable.body.data.map(({ p1_id: id }) => id)).toContain(other);
});

it('refuses a code of another product and names that, also as its NTIN; other organizations do not matter', async () => {
  const [pzn, gtin] = ['27580899', nextGtin()];
  const [owner, other] = [
    await shop.stocked(1, { name: 'Salbe', pzn, codes: [gtin] }),
    await shop.stocked(1),
  ];
  // 0·3+4+1·3+5+0·3+2+7·3+5+8·3+0+8·3+9+9·3 = 124, so 6.
  for (const body of [{ pzn }, { codes: [gtin] }, { codes: [nextGtin(), '04150275808996'] }]) {
    const answer = await update(other, { ...body, name: 'Anders' });
    expect(answer).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect(JSON.stringify(answer.body)).toContain(`${owner} (Salbe)`);
  }
  expect((await shop.call(getProduct, { params: { p1Id: other } })).body).toMatchObject({
    name: 'Blüte 22/1',
    pzn: null,
  });
  const elsewhere = new CatalogFixture(test.database);
  const theirs = await elsewhere.stocked(1);
  expect((await update(theirs, { pzn, codes: [gtin] }, elsewhere)).status).toBe(200);
  expect((await found(pzn))[0]).toEqual([owner]);
  expect((await update(owner, { pzn: null, codes: [] })).status).toBe(200);
  expect((await update(other, { codes: [gtin] })).status).toBe(200);
});

it('adds no product whose code another one has', async () => {
  const pzn = nextPzn();
  const [owner, other] = [await shop.stocked(1, { pzn }), await shop.product({ pzn })];
  const answer = await shop.call(addToInventory, { body: { p1_id: other } });
  expect(answer).toMatchObject({ status: 409, body: { error: 'conflict' } });
  expect((await shop.call(getProduct, { params: { p1Id: other } })).status).toBe(404);
  await update(owner, { pzn: nextPzn() });
  expect((await shop.call(addToInventory, { body: { p1_id: other } })).status).toBe(201);
  expect(await found(pzn)).toEqual([[other], []]);
});

it('an import writes the codes of every organization, and reports those in which another product has one', async () => {
  const [pzn, gtin, kept] = [nextPzn(), nextGtin(), nextGtin()];
  const [p1, other] = [await shop.stocked(1, { codes: [kept] }), await shop.stocked(1, { name: 'Salbe' })];
  const elsewhere = new CatalogFixture(test.database);
  await elsewhere.call(addToInventory, { body: { p1_id: p1 } });
  await update(other, { pzn });
  const collision = { org_id: shop.orgId, p1_id: p1, code: pzn, taken_by: other, taken_by_name: 'Salbe' };
  expect(await load({ p1_id: p1, pzn, codes: [gtin] })).toMatchObject({
    updated: 1,
    collisions: [collision],
  });
  expect([await found(pzn), await found(gtin), await found(kept)]).toEqual([
    [[other], []],
    [[p1], []],
    [[], []],
  ]);
  const theirs = await elsewhere.call(listInventory, { query: `code=${pzn}` });
  expect(theirs.body.data).toMatchObject([{ p1_id: p1, pzn, codes: [gtin] }]);

  // The same file again, before and after the other product has given the code away.
  expect(await load({ p1_id: p1, pzn })).toMatchObject({ unchanged: 1, collisions: [collision] });
  await update(other, { pzn: null });
  expect(await found(pzn)).toEqual([[p1], []]);
  expect(await load({ p1_id: p1, pzn })).toMatchObject({ unchanged: 1, collisions: [] });
});

it('a code that a product gives away is that of the first other product that carries it', async () => {
  const [pzn, gtin] = [nextPzn(), nextGtin()];
  const owner = await shop.stocked(1, { name: 'Salbe', pzn, codes: [gtin] });
  const [first = '', second = ''] = (await shop.stockedMany(2, 1)).sort();
  const { collisions } = await load(...[second, first].map((p1_id) => ({ p1_id, pzn, codes: [gtin] })));
  expect(collisions.map(({ p1_id, taken_by }) => [p1_id, taken_by])).toEqual(
    [first, first, second, second].map((p1Id) => [p1Id, owner]),
  );
  await update(owner, { pzn: nextPzn() });
  expect([await found(pzn), await found(gtin)]).toEqual([
    [[first], []],
    [[owner], []],
  ]);
  // By an import. One that waits for a code that it no longer wants is left out.
  await update(first, { codes: [] });
  await load({ p1_id: owner, codes: [] });
  expect(await found(gtin)).toEqual([[second], []]);
  await load({ p1_id: first, pzn: null }, { p1_id: second, codes: null });
  expect([await found(pzn), await found(gtin)]).toEqual([
    [[second], []],
    [[], []],
  ]);
});

it("leaves only the code out that another product has, not the product's own ones", async () => {
  const [pzn, gtin, ownGtin] = [nextPzn(), nextGtin(), nextGtin()];
  const [owner, other] = [await shop.stocked(1, { pzn }), await shop.stocked(1, { name: 'Salbe' })];
  const { collisions } = await load({ p1_id: other, pzn, codes: [gtin] });
  expect(collisions).toMatchObject([{ p1_id: other, code: pzn, taken_by: owner }]);
  expect((await update(other, { codes: [ownGtin] })).status).toBe(200);
  expect([await found(pzn), await found(gtin), await found(ownGtin)]).toEqual([
    [[owner], []],
    [[], []],
    [[other], []],
  ]);
  // Its own value now, so it is refused, although the product waits for that already.
  expect((await update(other, { pzn })).status).toBe(409);
});

it('an import takes one lock, however many organizations get a code', async () => {
  const [pzn, p1] = [nextPzn(), await shop.product({ pzn: nextPzn() })];
  await addElsewhere(shop.database, p1, 50);
  const locks = await shop.database.transaction(async (tx) => {
    await writeCodesEverywhere(tx, [p1]);
    return countLocks(tx);
  });
  expect(locks).toEqual([{ count: 1 }]);
  expect(await load({ p1_id: p1, pzn })).toMatchObject({ updated: 1, collisions: [] });
});

it('an import can move a code from one product to another, and exchange two', async () => {
  const [first, second] = [nextPzn(), nextPzn()];
  const [one, two] = [await shop.stocked(1, { pzn: first }), await shop.stocked(1, { pzn: second })];
  expect(await load({ p1_id: one, pzn: second }, { p1_id: two, pzn: first })).toMatchObject({
    updated: 2,
    collisions: [],
  });
  expect([await found(first), await found(second)]).toEqual([
    [[two], []],
    [[one], []],
  ]);
});

const REFUSED: readonly (readonly [values: object, said: RegExp])[] = [
  [{ pzn: '03752865' }, /PZN of 8 digits/],
  [{ pzn: '4006381333931' }, /PZN of 8 digits/],
  [{ pzn: 3752864 }, /PZN of 8 digits/],
  [{ codes: ['4006381333932'] }, /GTIN/],
  [{ codes: ['4150037528650'] }, /NTIN/],
  [{ codes: ['03752864'] }, /GTIN/],
  [{ codes: '4006381333931' }, /list/],
  [{ codes: [null] }, /GTIN/],
  [{ codes: [''] }, /GTIN/],
  [{ codes: Array.from({ length: 6 }, nextGtin) }, /at most 5/],
];
it.each(REFUSED)('refuses the values %j', async (values, said) => {
  const p1 = await shop.stocked(1);
  const answer = await update(p1, values);
  expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  expect(JSON.stringify(answer.body)).toMatch(said);
  const { refused } = await load({ p1_id: p1, ...values });
  expect(refused).toMatchObject([{ p1_id: p1, reason: expect.stringMatching(said) }]);
});

it.each(['03752865', '1', 'P-1', '', '4006381333932'])('refuses the filter code=%s', async (code) => {
  const { status } = await shop.call(listInventory, { query: `code=${code}` });
  expect(status).toBe(400);
});

it('lets one of fifty racing products have a code', async () => {
  const p1Ids = await shop.stockedMany(50, 1);
  const [pzn, gtin] = [nextPzn(), nextGtin()];
  const answers = await race(p1Ids.length, (index) =>
    update(p1Ids[index] ?? '', index % 2 === 0 ? { pzn, codes: [gtin] } : { codes: [gtin], pzn }),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
  const [inventory = []] = await found(pzn);
  expect(inventory).toHaveLength(1);
  expect((await found(gtin))[0]).toEqual(inventory);
});

it('changes, exchanges, additions and imports of the same codes end without a deadlock', async () => {
  const p1Ids = await shop.stockedMany(6, 1);
  const added = await Promise.all(Array.from({ length: 6 }, () => shop.product()));
  const [pzns, gtins] = [Array.from({ length: 3 }, nextPzn), Array.from({ length: 3 }, nextGtin)];
  const at = (list: readonly string[], place: number): string => list[place % list.length] ?? '';
  const turn = async (place: number) => {
    const isOdd = place % 2 === 1;
    const codes = [at(gtins, place), at(gtins, place + 1)];
    const lines = [at(p1Ids, place), at(added, place)].map((p1_id) => ({
      p1_id,
      name: 'Tee',
      price: 1,
      pzn: at(pzns, place),
    }));
    if (place % 3 === 0)
      return shop.call(importCatalog, { body: { lines: isOdd ? lines : lines.toReversed() } });
    if (place % 4 === 1) return shop.call(addToInventory, { body: { p1_id: at(added, place) } });
    // Another slug locks the row of the inventory also against the codes that an import writes for it.
    const slug = `codes-${place}`;
    const body = { slug, pzn: at(pzns, place + 1), codes: isOdd ? codes : codes.toReversed() };
    return update(at(p1Ids, place), body);
  };
  for (let round = 0; round < 8; round += 1) {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, place) => turn(round + place)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 201, 409].includes(status))).toEqual([]);
  }
  expect(await staleRows(shop.database, shop.orgId)).toEqual([]);
});
