import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ProductLayer } from '@offizin/contracts/products/assortment';
import type { CatalogProductSummary } from '@offizin/contracts/products/catalog-products';
import { askEvery } from '../live/live';
import { ApiError, call } from '../calls/api';
import { readableOf } from '../text/customer-name';
import { readableProduct } from '../text/product-name';
import type { Values } from './layers';
import type { ProductFilters } from './product-search';

/** The calls of the products screen. Nothing else in this folder speaks HTTP. */

const ORGANIZATION = '/api/v2/public/orgs/{orgId}';
const PAGE_ROWS = 200;
const FRESH_MS = 10_000;

/** A product at a shop of an organization. */
export interface Place {
  shopId: string;
  p1Id: string;
}

export function productList(shopId: string, filters: ProductFilters) {
  return infiniteQueryOptions({
    queryKey: ['products', 'list', shopId, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      call('GET', `${ORGANIZATION}/assortment`, {
        query: { ...filters, shop_id: shopId, limit: PAGE_ROWS, cursor },
        signal,
      }),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: askEvery,
  });
}

export function productDetail({ shopId, p1Id }: Place) {
  return queryOptions({
    queryKey: ['products', 'detail', p1Id, shopId],
    queryFn: ({ signal }) =>
      call('GET', `${ORGANIZATION}/assortment/{p1Id}`, {
        path: { p1Id },
        query: { shop_id: shopId },
        signal,
      }),
    select: readableProduct,
    staleTime: FRESH_MS,
    refetchInterval: askEvery,
  });
}

/** What the catalog has and the inventory has not. */
export function addableProducts(words: string) {
  return queryOptions({
    queryKey: ['products', 'addable', words],
    queryFn: ({ signal }) =>
      call('GET', `${ORGANIZATION}/addable-products`, {
        query: words === '' ? {} : { q: words },
        signal,
      }),
    select: ({ data }) => data.map(readableProduct),
  });
}

/** The same key for each attempt to add the same product. */
export function addProduct(product: CatalogProductSummary, pieces: number, key: string) {
  const adding = call('POST', `${ORGANIZATION}/products/add-to-inventory`, {
    header: { 'Idempotency-Key': key },
    body: { p1_id: product.p1_id, initial_stock: pieces },
  });
  return adding.catch((error: unknown) => failWithOwner(error, product.p1_id, product));
}

/** Another product of the pharmacy has the code. */
export class CodeTaken extends ApiError {
  constructor(
    { status, code, message, requestId }: ApiError,
    readonly taken: string,
    readonly product: string,
  ) {
    super(status, code, message, requestId);
  }
}

/** Throws `CodeTaken` where another product has one of the codes, else the error. */
async function failWithOwner(error: unknown, p1Id: string, { pzn, codes }: Partial<Values>): Promise<never> {
  if (error instanceof ApiError && error.code === 'conflict')
    for (const code of [pzn ?? [], codes ?? []].flat()) {
      const { data } = await call('GET', `${ORGANIZATION}/inventory`, { query: { code } });
      const owner = data.find(({ p1_id: id }) => id !== p1Id);
      if (owner) throw new CodeTaken(error, code, readableOf(owner.name, owner.p1_id));
    }
  throw error;
}

export function attach({ shopId, p1Id }: Place) {
  return call('POST', `${ORGANIZATION}/shops/attach-product`, {
    header: oneTime(),
    body: { shop_id: shopId, p1_id: p1Id, mode: 'merge' },
  });
}

export function detach({ shopId, p1Id }: Place) {
  return call('POST', `${ORGANIZATION}/shops/detach-product`, {
    header: oneTime(),
    body: { shop_id: shopId, p1_id: p1Id },
  });
}

/** A call that is delivered twice on its way takes effect once. */
function oneTime() {
  return { 'Idempotency-Key': crypto.randomUUID() };
}

/** Null takes a value away: the organization's counts again. */
export function overrideAtShop({ shopId, p1Id }: Place, overrides: Partial<ProductLayer>) {
  return call('POST', `${ORGANIZATION}/shops/product-overrides`, {
    body: { shop_id: shopId, p1_id: p1Id, overrides, mode: 'merge' },
  });
}

/** Null takes a value away: the catalog's counts again. */
export function changeOfOrganization({ p1Id }: Place, values: Partial<Values>) {
  const changing = call('PUT', `${ORGANIZATION}/products/{p1Id}`, { path: { p1Id }, body: values });
  return changing.catch((error: unknown) => failWithOwner(error, p1Id, values));
}
