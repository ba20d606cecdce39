import { notFound } from '@offizin/contracts/errors';

/** A product id from a path. An id that no column can hold gives 404 without a query. */
export function requireProductId(p1Id: string): string {
  if (p1Id === '' || p1Id.length > 255 || p1Id.includes('\0')) throw notFound('product');
  return p1Id;
}
