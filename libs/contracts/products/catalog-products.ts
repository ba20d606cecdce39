import { Flag, Money, Nested, QueryText, Text } from '../calls/fields';
import { operation } from '../calls/operation';
import { MAX_PAGE_SIZE, PagePagination, PageQuery } from '../calls/paging';
import { MAX_DESCRIPTION_LENGTH, Percent } from './products';
import { Described } from '../calls/schema';
import { ProductCodes, Pzn } from './codes';

/** The platform's catalog, which every organization reads. */

@Described('A product of the catalog of the platform, in a list')
export class CatalogProductSummary {
  @Text({ description: 'Catalog product id' }) p1_id!: string;
  @Text({ description: 'Name of the product' }) name!: string;
  @Text({ description: 'Name of the product for web addresses' }) slug!: string;
  @Text({ nullable: true }) category!: string | null;
  @Money({ description: 'Price in EUR of one piece, where the organization sets none' }) price!: number;
  @Percent('THC in per cent, null when not known') thc!: number | null;
  @Percent('CBD in per cent, null when not known') cbd!: number | null;
  @Flag({ description: 'Offered by the platform; says nothing about the stock' }) available!: boolean;
  @Pzn({ nullable: true, description: 'PZN; null when it has none' }) pzn!: string | null;
  @ProductCodes({ description: 'GTINs of the pack, as 14 digits' }) codes!: string[];
}

@Described('A product of the catalog of the platform')
export class CatalogProduct extends CatalogProductSummary {
  @Text({ nullable: true, maxLength: MAX_DESCRIPTION_LENGTH, description: 'Text about the product' })
  description!: string | null;
}

export class CatalogListQuery extends PageQuery {
  @QueryText({ optional: true, description: 'Part of the name, the product id, the PZN or a GTIN' })
  q?: string;
  @QueryText({ optional: true, description: 'Only products of this category, exactly' }) category?: string;
}

@Described('A page of the catalog')
export class CatalogListResponse {
  @Nested(() => CatalogProductSummary, { list: { maxItems: MAX_PAGE_SIZE } }) data!: CatalogProductSummary[];
  @Nested(() => PagePagination) pagination!: PagePagination;
}

const CATALOG = '/api/v2/public/catalog/products';

export const listCatalogProducts = operation({
  name: 'catalog.list',
  summary: "List the platform's catalog",
  service: 'catalog',
  access: 'products.read',
  path: CATALOG,
  query: CatalogListQuery,
  narrow: 'Ask for fewer rows (limit), a nearer page, or a more exact filter.',
  reply: CatalogListResponse,
});

export const getCatalogProduct = operation({
  name: 'catalog.get',
  summary: "Read a product of the platform's catalog",
  service: 'catalog',
  access: 'products.read',
  path: `${CATALOG}/{p1Id}`,
  reply: CatalogProduct,
});
