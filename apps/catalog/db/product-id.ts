import { invalid, notFound } from '@offizin/contracts/calls/errors';
import { isId } from '@offizin/pg/ids';

/** A product id from a path. An id that no column can hold gives 404 without a query. */
export function requireProductId(p1Id: string): string {
  if (p1Id === '' || p1Id.length > 255 || p1Id.includes('\0')) throw notFound('product');
  return p1Id;
}

/** An organization id in the body of a call from one of our own services. */
export function requireOrganizationId(orgId: string): void {
  if (!isId(orgId)) throw invalid([{ field: 'org_id', message: 'must be a UUID' }]);
}
