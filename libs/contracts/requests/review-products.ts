import { Flag, Int, Money, Nested, QueryText, Text } from '../calls/fields';
import { consoleOperation, internalOperation } from '../calls/operation';
import { MAX_ORDER_ITEMS } from '../orders/orders';

/** What order-core and the review of an order request ask the catalog: products by id, and by words. */

export const MAX_FOUND_PRODUCTS = 20;

export class ReviewProductsBody {
  @Text({ minLength: 1 }) org_id!: string;
  @Text({ listOf: { maxItems: MAX_ORDER_ITEMS * 2 } }) p1_ids!: string[];
  @Text({ optional: true, description: 'The shop whose names and categories count, too' }) shop_id?: string;
}

/** Values of the catalog, the organization and the shop. */
const EVERY_LAYER = { optional: true, listOf: { maxItems: 3 } } as const;

export class ReviewProduct {
  @Text() p1_id!: string;
  @Flag({ description: "False: only the catalog has it; the values are the catalog's" })
  in_inventory!: boolean;
  @Text() name!: string;
  @Text({ nullable: true }) category!: string | null;
  @Text({ nullable: true, description: 'Per cent' }) thc!: string | null;
  @Text({ nullable: true, description: 'Per cent' }) cbd!: string | null;
  @Int({ nullable: true, description: 'Pieces that no order holds; null outside the inventory' })
  available!: number | null;
  @Money() price!: number;
  // By id only.
  @Text(EVERY_LAYER) names?: string[];
  @Text(EVERY_LAYER) categories?: string[];
  @Text(EVERY_LAYER) thcs?: string[];
}

/** What two-person approval looks at, in every layer. */
export type ControlledFacts = Pick<ReviewProduct, 'category' | 'thc' | 'categories' | 'thcs'>;

/** Whether two-person approval counts the product as controlled, by THC or a listed category: the strictest layer counts. */
export function isControlled(
  { category, thc, categories = [category ?? ''], thcs = [thc ?? ''] }: ControlledFacts,
  listed: readonly string[],
): boolean {
  const counted = new Set(listed.map(foldedText));
  return thcs.some(hasThc) || categories.some((one) => counted.has(foldedText(one)));
}

/** A text that is not a number, such as a range, counts as THC. */
function hasThc(thc: string): boolean {
  return thc.trim() !== '' && Number(thc.replace(',', '.')) !== 0;
}

/** Names and categories are compared without case and spare white space. */
export function foldedText(text: string): string {
  return text.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

export class ReviewProductsResponse {
  @Nested(() => ReviewProduct, { list: { maxItems: MAX_ORDER_ITEMS * 2 } }) products!: ReviewProduct[];
}

/** Unknown ids have no row. */
export const productsForReview = internalOperation({
  name: 'products.for-review',
  summary: 'Name, stock and price of the products of an order request',
  service: 'catalog',
  body: ReviewProductsBody,
  reply: ReviewProductsResponse,
});

/** Of each kind, in a search over all. */
export const MAX_FOUND_EACH = 5;

export class FindProductsBody {
  @Text({ minLength: 1 }) org_id!: string;
  @Text({ minLength: 1, description: 'Part of the name, the product id, the PZN or a GTIN' }) q!: string;
}

export const findProducts = internalOperation({
  name: 'products.find',
  summary: 'The first products of the inventory, by name, for a search over all',
  service: 'catalog',
  body: FindProductsBody,
  reply: ReviewProductsResponse,
});

export class FindReviewProductsQuery {
  @QueryText({ optional: true, description: 'Part of the name, the product id, the PZN or a GTIN' })
  q?: string;
}

export class FoundReviewProducts {
  @Nested(() => ReviewProduct, {
    list: { maxItems: MAX_FOUND_PRODUCTS },
    description: 'The first 20, by name',
  })
  data!: ReviewProduct[];
}

export const findReviewProducts = consoleOperation({
  name: 'review.products',
  summary: 'Find products of the inventory, for a line of an order request',
  service: 'catalog',
  access: 'inventory.read',
  path: '/api/v2/public/orgs/{orgId}/review/products',
  query: FindReviewProductsQuery,
  narrow: 'Give q more characters.',
  reply: FoundReviewProducts,
});
