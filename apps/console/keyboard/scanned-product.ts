import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { codesIn, isOf } from '@offizin/codes/codes-of-scan';
import { isExpired } from '@offizin/codes/expiry';
import { readScan, type Scan, type Unreadable } from '@offizin/codes/scan';
import type { InventoryRow } from '@offizin/contracts/products/inventory';
import { call } from '../calls/api';
import { readableOf } from '../text/customer-name';

/** Which product of the pharmacy a scanned code names. */

const ORGANIZATION = '/api/v2/public/orgs/{orgId}';
const FRESH_MS = 10_000;
const MAX_ROWS = 200;

type Product = Pick<InventoryRow, 'p1_id' | 'name'>;

export type ScannedProduct =
  /** `expired`: the last good day of a pack that is not good any more. */
  | { kind: 'product'; code: string; product: Product; lot: string | undefined; expired: string | null }
  /** Eight digits that are the PZN of one product and the GTIN of another. */
  | { kind: 'unclear'; code: string; names: readonly string[] }
  | { kind: 'unknown' | 'unanswered'; code: string }
  | { kind: 'unreadable'; code: string; because: Unreadable }
  /** It arrived in parts. */
  | { kind: 'garbage' };

/** null: it arrived in parts. */
export async function productOf(client: QueryClient, code: string | null): Promise<ScannedProduct> {
  if (code === null) return { kind: 'garbage' };
  const scan = readScan(code, { year: new Date().getFullYear() });
  if (scan.kind === 'unreadable') return { kind: 'unreadable', code, because: scan.because };
  try {
    const products = await productsOf(client, scan);
    const [product] = products;
    if (product === undefined) return { kind: 'unknown', code };
    const names = products.map(({ name, p1_id: id }) => readableOf(name, id));
    if (products.length > 1) return { kind: 'unclear', code, names };
    const lot = 'lot' in scan ? scan.lot : undefined;
    const day = 'expires_on' in scan ? scan.expires_on : undefined;
    const expired = day !== undefined && isExpired(day, Date.now()) ? day : null;
    return { kind: 'product', code, product, lot, expired };
  } catch {
    return { kind: 'unanswered', code };
  }
}

function productsOf(client: QueryClient, scan: Scan): Promise<readonly Product[]> {
  return scan.kind === 'p1_id' ? productsById(client, scan.p1_id) : productsWithCode(client, scan);
}

/** By the codes that it names: two at most, where eight digits are both. */
export async function productsWithCode(client: QueryClient, scan: Scan): Promise<readonly Product[]> {
  for (const code of codesIn(scan)) {
    const { data } = await client.query(productsByCode(code));
    const found = data.filter((product) => isOf(product, scan));
    if (found.length > 0) return found;
  }
  return [];
}

/** By the number on a label that the pharmacy has printed itself. Scanners differ in capitals. */
async function productsById(client: QueryClient, p1Id: string): Promise<readonly Product[]> {
  const { data } = await client.query(stockedProduct(p1Id));
  const isNamed = ({ p1_id: id }: Product) => id.toLowerCase() === p1Id.toLowerCase();
  return data.filter(isNamed);
}

/** Among the products with the number as a part of theirs. */
export function stockedProduct(p1Id: string) {
  return queryOptions({
    queryKey: ['stock', 'id', p1Id],
    queryFn: ({ signal }) =>
      call('GET', `${ORGANIZATION}/inventory`, { query: { q: p1Id, limit: MAX_ROWS }, signal }),
    staleTime: FRESH_MS,
  });
}

function productsByCode(code: string) {
  return queryOptions({
    queryKey: ['stock', 'code', code],
    queryFn: ({ signal }) => call('GET', `${ORGANIZATION}/inventory`, { query: { code }, signal }),
    staleTime: FRESH_MS,
  });
}
