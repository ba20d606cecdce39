import { Transform, type TransformFnParams, Type } from 'class-transformer';
import { IsNumber, IsOptional, Max, Min } from 'class-validator';
import {
  Flag,
  FreeObject,
  Int,
  Money,
  Nested,
  OneOf,
  QueryFlag,
  QueryText,
  Slug,
  Text,
  Timestamp,
} from '../calls/fields';
import { internalOperation, MAX_BODY_BYTES, operation } from '../calls/operation';
import {
  CursorOnlyPagination,
  CursorOnlyQuery,
  MAX_PAGE_SIZE,
  PageDeltaQuery,
  PagePagination,
  WholeOrPageQuery,
} from '../calls/paging';
import { Described, describeField } from '../calls/schema';
import { ProductCodes, Pzn, QueryCode } from './codes';

/**
 * Shops, and products as a shop shows them: catalog values, overlaid by the organization's inventory values,
 * overlaid by the shop's overrides.
 */

export const MAX_DESCRIPTION_LENGTH = 10_000;
/** Stock of one product, and the largest threshold for a warning. */
export const MAX_STOCK = 1_000_000_000;
export const MAX_INITIAL_STOCK = 1_000_000;
/** Limit of shops per organization: without `limit` their list is one answer. */
export const MAX_SHOPS = 500;
/** How long a list that is asked for changes shows a detached product. */
export const DETACHED_SHOWN_DAYS = 30;

/** An optional per cent value, 0 to 100; null clears it. */
export function Percent(description: string): PropertyDecorator {
  const options = { message: 'must be a number from 0 to 100' };
  const checks = [
    IsOptional(),
    IsNumber({ allowNaN: false, allowInfinity: false }, options),
    Min(0, options),
    Max(100, options),
  ];
  return (target, key) => {
    for (const check of checks) check(target, key);
    const options = { optional: true, nullable: true, description };
    describeField(target, String(key), { type: 'number', minimum: 0, maximum: 100 }, options);
  };
}

/**
 * Passes the value unchanged. class-transformer's copies omit some keys and fail on a key named `constructor`, but
 * the rule that refuses such keys must see them. A type without fields stops class-transformer from descending into
 * the value; the transformation then returns the original.
 */
export function AsSent(): PropertyDecorator {
  const leaf = Type(() => Boolean);
  const asSent = Transform(({ obj, key }: TransformFnParams) => (obj as Record<string, unknown>)[key]);
  return (target, key) => {
    leaf(target, key);
    asSent(target, key);
  };
}

@Described('A shop of the organization')
export class Shop {
  @Text({ description: 'Id of the shop, for calls about orders and products' }) shop_id!: string;
  @Text({ description: 'Name of the shop' }) name!: string;
  @Flag({ description: 'false: the connector answers 404 on its domain' }) is_active!: boolean;
  @Flag({ description: 'true: a shop for tests, for ever' }) is_test!: boolean;
}

@Described('The shops of the organization')
export class ShopListResponse {
  @Nested(() => Shop, { list: { maxItems: MAX_SHOPS } }) data!: Shop[];
  @Nested(() => CursorOnlyPagination) pagination!: CursorOnlyPagination;
}

export class ShownProduct {
  @Text({ description: 'Catalog product id' }) p1_id!: string;
  @Text({ description: 'Name of the product at the shop, else in the organization' }) name!: string;
  @Text({ description: 'Name of the product for web addresses, unique in the organization' }) slug!: string;
  @Text({ nullable: true, description: 'Category of the product at the shop, else in the organization' })
  category!: string | null;
  @Money({ description: 'Price in EUR of one piece at the shop, else in the organization' }) price!: number;
  @Int({ description: 'Pieces that the organization has, reserved ones included' }) stock_quantity!: number;
  @Text({ nullable: true, description: 'null for the values of the organization' }) shop_id!: string | null;
  @Percent('THC in per cent, null when not known') thc!: number | null;
  @Percent('CBD in per cent, null when not known') cbd!: number | null;
  @Flag({ description: 'Offered for sale; says nothing about the stock' }) available!: boolean;
  @Pzn({ nullable: true, description: 'PZN in the organization; null when it has none' }) pzn!: string | null;
  @ProductCodes({ description: 'GTINs of the pack in the organization, as 14 digits' }) codes!: string[];
}

@Described('A product as a shop shows it')
export class Product extends ShownProduct {
  @Text({ nullable: true, maxLength: MAX_DESCRIPTION_LENGTH, description: 'Text about the product' })
  description!: string | null;
  @FreeObject({
    nullable: true,
    description: 'What the shop overrides, with keys of your own; null for the values of the organization',
  })
  overrides!: Record<string, unknown> | null;
}

/** A product in a list. Without the description, because a page of 200 must fit one bus message. */
@Described('A product as a shop shows it, in a list')
export class ProductSummary extends ShownProduct {
  @Timestamp({ description: 'When the product was first attached to the shop, in UTC' }) created_at!: string;
  @Timestamp({ description: 'When a value or the stock was last changed, or when it was detached, in UTC' })
  updated_at!: string;
  @Timestamp({
    nullable: true,
    description: `When the product was detached from the shop, in UTC; null while it is attached. Lists with updated_since, or by updated_at, show it for ${DETACHED_SHOWN_DAYS} days more, with available false`,
  })
  detached_at!: string | null;
}

export class ProductListQuery extends PageDeltaQuery {
  @QueryText({ description: 'A shop of the organization' }) shop_id!: string;
  @QueryText({ optional: true, description: 'Part of the name, the product id, the PZN or a GTIN' })
  q?: string;
  @QueryText({ optional: true, description: 'Only products of this category, exactly' }) category?: string;
  @QueryFlag({ description: 'Only products that are offered for sale, or only the others' })
  available?: boolean;
  @QueryCode() code?: string;
}

@Described('A page of products')
export class ProductListResponse {
  @Nested(() => ProductSummary, { list: { maxItems: MAX_PAGE_SIZE } }) data!: ProductSummary[];
  @Nested(() => PagePagination) pagination!: PagePagination;
}

/** Never a number: what a pharmacy sells is its secret. */
export const STOCK_CLASSES = ['none', 'low', 'in_stock'] as const;

@Described('A product of a shop, as a partner sees it')
export class PartnerProduct {
  @Text({ description: 'Catalog product id, for the lines of order requests' }) p1_id!: string;
  @Text({ nullable: true, description: 'Name of the product at the shop; null when detached' })
  name!: string | null;
  @Text({ nullable: true, description: 'Category at the shop; null when it has none, or is detached' })
  category!: string | null;
  @Money({ nullable: true, description: 'Price in EUR of one piece at the shop; null when detached' })
  price!: number | null;
  @Percent('THC in per cent, null when not known') thc!: number | null;
  @Percent('CBD in per cent, null when not known') cbd!: number | null;
  @Flag({ description: 'Offered for sale; says nothing about the stock' }) available!: boolean;
  @OneOf(STOCK_CLASSES, {
    nullable: true,
    description:
      "Pieces that no order holds: none, at most the product's low_stock_threshold, or more; null when detached",
  })
  stock!: (typeof STOCK_CLASSES)[number] | null;
  @Pzn({ nullable: true, description: 'PZN; null when it has none, or is detached' }) pzn!: string | null;
  @Timestamp({ description: 'When anything shown here was last changed, in UTC' }) updated_at!: string;
  @Timestamp({
    nullable: true,
    description: `When the shop detached it, in UTC; null while it is attached. Lists with updated_since show it for ${DETACHED_SHOWN_DAYS} days more, with its id and times only and available false`,
  })
  detached_at!: string | null;
}

export class PartnerProductsQuery extends CursorOnlyQuery {
  @Timestamp({
    optional: true,
    description:
      'Changed at this time or later, in the order of changes. Ask from a minute before the last updated_at that you have. Left out: by product id',
  })
  updated_since?: string;
}

@Described('A page of the products of a shop')
export class PartnerProductsResponse {
  @Nested(() => PartnerProduct, { list: { maxItems: MAX_PAGE_SIZE } }) data!: PartnerProduct[];
  @Nested(() => CursorOnlyPagination) pagination!: CursorOnlyPagination;
}

export class ProductQuery {
  @QueryText({ optional: true, description: 'A shop of the organization' }) shop_id?: string;
}

/** Null restores the catalog's value. */
@Described(
  "The organization's values of a product. Fields left out keep their value; null restores the value of the catalog",
)
export class ProductUpdateBody {
  @Text({ optional: true, nullable: true, minLength: 1, description: 'Name of the product' }) name?:
    string | null;
  @Slug({ optional: true, nullable: true, description: 'Unique in the organization' })
  slug?: string | null;
  @Text({
    optional: true,
    nullable: true,
    maxLength: MAX_DESCRIPTION_LENGTH,
    description: 'Text about the product',
  })
  description?: string | null;
  @Text({ optional: true, nullable: true, minLength: 1 }) category?: string | null;
  @Money({
    optional: true,
    nullable: true,
    description: 'Price in EUR of one piece, in every shop that does not override it',
  })
  price?: number | null;
  @Percent('THC in per cent') thc?: number | null;
  @Percent('CBD in per cent') cbd?: number | null;
  @Flag({ optional: true, nullable: true, description: 'Offered for sale' }) available?: boolean | null;
  @Int({
    optional: true,
    nullable: true,
    maximum: MAX_STOCK,
    description: 'Stock at or below this number counts as low; null is 0',
  })
  low_stock_threshold?: number | null;
  @Pzn({ optional: true, nullable: true, description: 'PZN, of one product of the organization only' })
  pzn?: string | null;
  @ProductCodes({
    optional: true,
    nullable: true,
    description: 'GTINs of the pack, each of one product of the organization only; an empty list is none',
  })
  codes?: string[] | null;
}

export const OVERRIDE_MODES = ['merge', 'replace'] as const;
export type OverrideMode = (typeof OVERRIDE_MODES)[number];

const OVERRIDES_DESCRIPTION =
  'price, name, description, category and available are applied; other keys are stored for the caller';
const MODE_DESCRIPTION =
  'merge: key by key at every depth, null removes a key (RFC 7396); replace: the whole';

@Described('A product that a shop is to offer no longer')
export class Detach {
  @Text({ minLength: 1 }) shop_id!: string;
  @Text({ minLength: 1 }) p1_id!: string;
}

@Described('A product of the inventory that a shop is to offer')
export class Attach extends Detach {
  @AsSent()
  @FreeObject({ optional: true, description: OVERRIDES_DESCRIPTION })
  overrides?: Record<string, unknown>;
  @OneOf(OVERRIDE_MODES, { optional: true, description: MODE_DESCRIPTION }) mode: OverrideMode = 'merge';
}

@Described('What a shop shows instead of the values of the organization')
export class Overrides extends Detach {
  @AsSent()
  @FreeObject({ description: OVERRIDES_DESCRIPTION })
  overrides!: Record<string, unknown>;
  @OneOf(OVERRIDE_MODES, { optional: true, description: MODE_DESCRIPTION }) mode: OverrideMode = 'merge';
}

@Described('A product of a shop after the change')
export class ShopProductResponse {
  @Text() shop_id!: string;
  @Text() p1_id!: string;
  @FreeObject({ description: OVERRIDES_DESCRIPTION }) overrides!: Record<string, unknown>;
  @Nested(() => Product, { description: 'The product as the shop shows it now' }) product!: Product;
}

@Described('A product that the shop offers no longer')
export class DetachProductResponse {
  @Text() shop_id!: string;
  @Text() p1_id!: string;
  @OneOf(['detached'], { description: 'Always detached' }) status!: 'detached';
}

const ORGANIZATION = '/api/v2/public/orgs/{orgId}';

export const listShops = operation({
  name: 'shops.list',
  summary: 'List the shops of the organization',
  service: 'catalog',
  access: 'products.read',
  path: `${ORGANIZATION}/shops`,
  query: WholeOrPageQuery,
  reply: ShopListResponse,
});

export const listProducts = operation({
  name: 'products.list',
  summary: 'List the products attached to a shop',
  refuses: ['not_found'],
  service: 'catalog',
  access: 'products.read',
  path: `${ORGANIZATION}/products`,
  query: ProductListQuery,
  narrow: 'Ask for fewer rows (limit), a nearer page, or a more exact filter.',
  reply: ProductListResponse,
});

export const listPartnerProducts = operation({
  name: 'products.list-external',
  summary: 'List the products of the shop, with a stock class',
  refuses: ['insufficient_scope'],
  via: 'http',
  access: 'connector',
  path: '/api/v1/products',
  query: PartnerProductsQuery,
  hasEntityTag: true,
  maxBodyBytes: MAX_BODY_BYTES,
  reply: PartnerProductsResponse,
});

export class ListForPartnerBody extends PartnerProductsQuery {
  @Text({ format: 'uuid' }) org_id!: string;
  @Text({ format: 'uuid' }) shop_id!: string;
}

export const listForPartner = internalOperation({
  name: 'products.list-for-partner',
  summary: 'List the products of a shop, as a partner sees them',
  service: 'catalog',
  body: ListForPartnerBody,
  reply: PartnerProductsResponse,
});

export const getProduct = operation({
  name: 'products.get',
  summary: 'Read a product, as a shop shows it or as the organization has it',
  service: 'catalog',
  access: 'products.read',
  path: `${ORGANIZATION}/products/{p1Id}`,
  query: ProductQuery,
  reply: Product,
});

export const updateProduct = operation({
  name: 'products.update',
  summary: 'Change the given fields of a product of the inventory',
  refuses: ['conflict'],
  service: 'catalog',
  access: 'products.write',
  method: 'PUT',
  path: `${ORGANIZATION}/products/{p1Id}`,
  body: ProductUpdateBody,
  reply: Product,
});

export const attachProduct = operation({
  name: 'products.attach',
  summary: 'Attach a product of the inventory to a shop',
  refuses: ['not_found', 'out_of_stock'],
  service: 'catalog',
  access: 'products.write',
  method: 'POST',
  path: `${ORGANIZATION}/shops/attach-product`,
  body: Attach,
  reply: ShopProductResponse,
  statuses: [201, 200],
});

export const detachProduct = operation({
  name: 'products.detach',
  summary: 'Detach a product from a shop',
  refuses: ['not_found'],
  service: 'catalog',
  access: 'products.write',
  method: 'POST',
  path: `${ORGANIZATION}/shops/detach-product`,
  body: Detach,
  reply: DetachProductResponse,
});

export const overrideProduct = operation({
  name: 'products.overrides',
  summary: "Merge or replace a shop's overrides of a product",
  refuses: ['not_found'],
  service: 'catalog',
  access: 'products.write',
  method: 'POST',
  path: `${ORGANIZATION}/shops/product-overrides`,
  body: Overrides,
  reply: ShopProductResponse,
});
