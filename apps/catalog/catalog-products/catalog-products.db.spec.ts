import { importCatalog } from '@offizin/contracts/products/catalog-import';
import { getCatalogProduct, listCatalogProducts } from '@offizin/contracts/products/catalog-products';
import { getProduct } from '@offizin/contracts/products/products';
import { CatalogFixture, catalogSpec } from '../spec/spec-fixture';

let shop: CatalogFixture;
catalogSpec((made) => (shop = made), { isShared: true });

const load = (lines: unknown[]) => shop.call(importCatalog, { body: { lines } });

it('imports new lines, updates changed ones and leaves the rest unchanged', async () => {
  const lines = [1, 2, 3].map((n) => ({ p1_id: `import-${n}`, name: `Product ${n}`, price: n }));
  const none = { refused: [], collisions: [] };
  expect((await load(lines)).body).toEqual({ imported: 3, updated: 0, unchanged: 0, ...none });
  expect((await load(lines)).body).toEqual({ imported: 0, updated: 0, unchanged: 3, ...none });
  const changed = [{ ...lines[0], thc: 12.5 }, lines[1], { p1_id: 'import-4', name: 'Four', price: 4 }];
  expect((await load(changed)).body).toMatchObject({ imported: 1, updated: 1, unchanged: 1 });
});

it('states what a dry run would change, and writes nothing', async () => {
  const line = (name: string, price: number) => ({ p1_id: `dry-run-${name}`, name, price });
  const run = async (dry_run: boolean, lines: object[]) => {
    const { body } = await shop.call(importCatalog, { body: { lines, dry_run } });
    return [body.imported, body.updated, body.unchanged, body.refused.length];
  };
  expect(await run(true, [line('a', 1), line('b', 2)])).toEqual([2, 0, 0, 0]);
  expect(await run(false, [line('a', 1), line('b', 2)])).toEqual([2, 0, 0, 0]);
  const next = [line('a', 1), line('b', 3), line('c', 4), { p1_id: 'x' }];
  expect(await run(true, next)).toEqual([1, 1, 1, 1]);
  expect(await run(false, next)).toEqual([1, 1, 1, 1]);
  expect(await run(true, next)).toEqual([0, 0, 3, 1]);
});

it('keeps what a line leaves out, also in the counts of a dry run, and clears what is null', async () => {
  const bare = { p1_id: 'kept', name: 'Blüte', price: 1 };
  const said = {
    slug: 'own',
    description: 'Text',
    category: 'Blüten',
    thc: 12.5,
    cbd: 0.5,
    available: false,
    pzn: '03752864',
    codes: ['04006381333931'],
  };
  const importOf = async (line: object) => {
    const dryRun = await shop.call(importCatalog, { body: { lines: [line], dry_run: true } });
    const { body } = await load([line]);
    expect(dryRun.body).toEqual(body);
    const product = await shop.call(getCatalogProduct, { params: { p1Id: 'kept' } });
    return [body.updated, body.unchanged, product.body];
  };
  await load([{ ...bare, ...said }]);
  expect(await importOf(bare)).toEqual([0, 1, { ...bare, ...said }]);
  const renamed = { ...bare, name: 'Neu', price: 2 };
  expect(await importOf(renamed)).toEqual([1, 0, { ...renamed, ...said }]);
  expect(await importOf({ ...renamed, cbd: 1 })).toEqual([1, 0, { ...renamed, ...said, cbd: 1 }]);
  const texts = { slug: null, description: null, category: null, pzn: null, codes: null };
  const cleared = { ...texts, thc: null, cbd: null, available: null };
  const defaults = { ...cleared, slug: 'neu-kept', available: true, codes: [] };
  expect(await importOf({ ...renamed, ...cleared })).toEqual([1, 0, { ...renamed, ...defaults }]);
});

it('refuses single lines with their reasons and takes the others', async () => {
  const { status, body } = await load([
    { p1_id: 'fine', name: 'Fine', price: 1 },
    { p1_id: 'dear', name: 'Dear', price: 1e9, thc: 101 },
    { name: 'No id', price: 1 },
    { p1_id: 'odd', name: 'Odd', price: 1, colour: 'red' },
    'text',
    null,
    { p1_id: 'fine', name: 'Twice', price: 1 },
  ]);
  expect(status).toBe(200);
  expect(body).toMatchObject({ imported: 1, updated: 0, unchanged: 0 });
  expect(body.refused.map(({ index, p1_id }) => [index, p1_id])).toEqual([
    [1, 'dear'],
    [2, null],
    [3, 'odd'],
    [4, null],
    [5, null],
    [6, 'fine'],
  ]);
  expect(body.refused[0]?.reason).toMatch(/price: .*; thc: /);
  expect(body.refused[2]?.reason).toBe('colour: is not a known field');
});

it('takes 500 lines and refuses a batch of more', async () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ p1_id: `many-${n}`, name: 'Many', price: 1 }));
  expect((await load(lines(500))).body).toMatchObject({ imported: 500 });
  expect((await load(lines(501))).status).toBe(400);
  expect((await shop.call(importCatalog, { body: {} })).status).toBe(400);
});

it('imports the same lines from racing callers without a deadlock', async () => {
  const lines = Array.from({ length: 100 }, (_, n) => ({ p1_id: `race-${n}`, name: 'Race', price: 1 }));
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => load(n % 2 === 0 ? lines : [...lines].reverse())),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(answers.reduce((sum, { body }) => sum + body.imported, 0)).toBe(100);
});

it('accepts only the operator and our own processes', async () => {
  const answer = await shop.call(importCatalog, { body: { lines: [] }, caller: shop.key() });
  expect(answer.status).toBe(403);
});

it('shows new catalog values to organizations that have none of their own, but keeps their slug', async () => {
  const p1Id = await shop.stocked(1, { slug: 'first' });
  await load([{ p1_id: p1Id, name: 'Renamed', price: 2, slug: 'second', category: null }]);
  const { body } = await shop.call(getProduct, { params: { p1Id } });
  expect(body).toMatchObject({ name: 'Renamed', price: 2, category: null, slug: 'first' });
});

it('lists and reads the catalog', async () => {
  await load([
    { p1_id: 'list-1', name: 'Öl Eins', price: 1, category: 'list', description: 'long text' },
    { p1_id: 'list-2', name: 'Öl Zwei', price: 2, category: 'list' },
  ]);
  const first = await shop.call(listCatalogProducts, { query: 'category=list&limit=1' });
  const query = `category=list&limit=1&cursor=${first.body.pagination.next_cursor}`;
  const second = await shop.call(listCatalogProducts, { query });
  const all = await shop.call(listCatalogProducts, { query: 'category=list&limit=1&page=2' });
  expect(second.body.data).toEqual(all.body.data);
  expect((await shop.call(listCatalogProducts, { query: `${query}&page=1` })).status).toBe(400);
  expect(all.body).toEqual({
    data: [
      {
        p1_id: 'list-2',
        name: 'Öl Zwei',
        slug: 'oel-zwei-list-2',
        category: 'list',
        price: 2,
        thc: null,
        cbd: null,
        available: true,
        pzn: null,
        codes: [],
      },
    ],
    pagination: { page: 2, pageSize: 1, total: 2, totalPages: 2, next_cursor: null },
  });
  const found = await shop.call(listCatalogProducts, { query: 'q=%C3%B6l%20EINS' });
  expect(found.body.data.map(({ p1_id }) => p1_id)).toEqual(['list-1']);
  const one = await shop.call(getCatalogProduct, { params: { p1Id: 'list-1' } });
  expect(one.body).toMatchObject({ p1_id: 'list-1', description: 'long text' });
  expect((await shop.call(getCatalogProduct, { params: { p1Id: 'list-3' } })).status).toBe(404);
});
