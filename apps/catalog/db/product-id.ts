import { notFound } from '@offizin/contracts/errors';

/** A product id out of a path. One that no column could hold names no product: 404, and no question to the database. */
export function requireProductId(p1Id: string): string {
  if (p1Id === '' || p1Id.length > 255 || p1Id.includes('\0')) throw notFound('product');
  return p1Id;
}
