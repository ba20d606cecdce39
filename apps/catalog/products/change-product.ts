import type { Caller } from '@offizin/contracts/calls/caller';
import { notFound } from '@offizin/contracts/calls/errors';
import type { ProductUpdateBody } from '@offizin/contracts/products/products';
import { appendAuditRecord } from '@offizin/events/audit-outbox';
import { appendEvent } from '@offizin/events/outbox';
import type { Sql } from '@offizin/pg/database';
import { lockProduct, writeCodesOf } from '../db/product-codes';
import { SCHEMA } from '../db/schema';
import { requireOwner, type Watch, watched } from './four-eyes';
import { changedValues, removesThc } from './product-change';
import { lockProductValues, writeProductValues } from './products.store';

/**
 * Changes the organization's values of a product, with their event and audit record. Equal values write nothing.
 * Throws `Refused` for a product that is not in the inventory (not_found), for a code of another product (conflict), and
 * for what only owners change: two-person approval looks at it (four-eyes.ts).
 */
export async function changeProduct(
  tx: Sql,
  caller: Caller,
  p1Id: string,
  { given, watch = null }: { given: ProductUpdateBody; watch?: Watch },
): Promise<void> {
  const { orgId } = caller;
  if (given.pzn !== undefined || given.codes !== undefined) await lockProduct(tx, p1Id);
  const present = await lockProductValues(tx, orgId, p1Id);
  if (!present) throw notFound('product');
  const change = changedValues(present, given, present.catalog_slug);
  if (Object.keys(change).length === 0) return;
  if (removesThc(present, change)) requireOwner(caller);
  const sequence = await watched(tx, { caller, watch }, { p1Id }, () =>
    writeProductValues(tx, orgId, p1Id, change),
  );
  if (change.pzn !== undefined || change.codes !== undefined) await writeCodesOf(tx, orgId, p1Id, change);
  await appendEvent(tx, SCHEMA, {
    orgId,
    eventType: 'product_updated',
    aggregateId: `product:${orgId}:${p1Id}`,
    sequence,
    topic: 'plain',
    title: 'Product updated',
    description: `Product ${p1Id} was changed.`,
    metadata: { p1_id: p1Id, shop_id: null, changed: Object.keys(change) },
  });
  await appendAuditRecord(tx, SCHEMA, caller, { orgId, action: 'product.update', object: `product:${p1Id}` });
}
