import { CatalogProductSummary } from './catalog-products';
import { Flag, Int, Money, Nested, QueryFlag, QueryText, Text } from '../calls/fields';
import { consoleOperation } from '../calls/operation';
import { CursorOnlyQuery, MAX_PAGE_SIZE } from '../calls/paging';
import { ProductCodes, Pzn } from './codes';
import { MAX_DESCRIPTION_LENGTH, Percent } from './products';

/** What the products screen of the console reads: which value of a product comes from where, at one shop. */

/** The price of each layer; null where the layer before it counts. */
export class LayeredPrice {
  @Money() catalog!: number;
  @Money({ nullable: true }) organization!: number | null;
  @Money({ nullable: true }) shop!: number | null;
}

export class AssortmentRow {
  @Text({ description: 'Catalog product id' }) p1_id!: string;
  @Text({ description: 'As the shop shows it' }) name!: string;
  @Text({ nullable: true }) category!: string | null;
  @Flag() attached!: boolean;
  @Flag({ description: 'Offered for sale by the shop; says nothing about the stock' }) available!: boolean;
  @Int({ description: 'Pieces, reserved ones included' }) stock_quantity!: number;
  @Nested(() => LayeredPrice) price!: LayeredPrice;
  @Pzn({ nullable: true }) pzn!: string | null;
  @ProductCodes({ description: 'GTINs of the pack' }) codes!: string[];
}

export class AssortmentQuery extends CursorOnlyQuery {
  @QueryText({ description: 'A shop of the organization' }) shop_id!: string;
  @QueryText({ optional: true, description: 'Part of the name, the product id, the PZN or a GTIN' })
  q?: string;
  @QueryFlag({ description: 'Only products that are attached to the shop, or only the others' })
  attached?: boolean;
}

export class AssortmentResponse {
  @Nested(() => AssortmentRow, {
    list: { maxItems: MAX_PAGE_SIZE },
    description: 'Products of the inventory, by name',
  })
  data!: AssortmentRow[];
  @Int({ description: 'Exact number of products that q finds' }) total!: number;
  @Int({ description: 'How many of them are attached to the shop' }) attached_total!: number;
  @Text({ nullable: true, maxLength: 2000 }) next_cursor!: string | null;
}

/** The values of one layer that a shop may override; null where the layer before it counts. */
export class ProductLayer {
  @Text({ nullable: true }) name!: string | null;
  @Text({ nullable: true }) category!: string | null;
  @Money({ nullable: true }) price!: number | null;
  @Flag({ nullable: true }) available!: boolean | null;
  @Text({ nullable: true, maxLength: MAX_DESCRIPTION_LENGTH }) description!: string | null;
}

/** The catalog's and the organization's layer have these, too. */
export class OwnProductLayer extends ProductLayer {
  @Percent('THC in per cent, null when not known') thc!: number | null;
  @Percent('CBD in per cent, null when not known') cbd!: number | null;
  @Pzn({ nullable: true }) pzn!: string | null;
  @ProductCodes({ nullable: true, description: 'GTINs of the pack' }) codes!: string[] | null;
}

export class AssortmentProduct extends AssortmentRow {
  @Nested(() => OwnProductLayer) catalog!: OwnProductLayer;
  @Nested(() => OwnProductLayer) organization!: OwnProductLayer;
  @Nested(() => ProductLayer) shop!: ProductLayer;
}

export class AssortmentProductQuery {
  @QueryText({ description: 'A shop of the organization' }) shop_id!: string;
}

export const MAX_ADDABLE_PRODUCTS = 20;

export class AddableQuery {
  @QueryText({ optional: true, description: 'Part of the name, the product id, the PZN or a GTIN' })
  q?: string;
}

export class AddableProducts {
  @Nested(() => CatalogProductSummary, {
    list: { maxItems: MAX_ADDABLE_PRODUCTS },
    description: 'The first 20, by name',
  })
  data!: CatalogProductSummary[];
}

const ORGANIZATION = '/api/v2/public/orgs/{orgId}';
const reading = { service: 'catalog', access: 'products.read', method: 'GET' } as const;

export const listAssortment = consoleOperation({
  ...reading,
  name: 'assortment.list',
  summary: 'List the products of the inventory as a shop has them, with the price of each layer',
  refuses: ['not_found'],
  path: `${ORGANIZATION}/assortment`,
  query: AssortmentQuery,
  narrow: 'Give q more characters.',
  reply: AssortmentResponse,
});

export const getAssortmentProduct = consoleOperation({
  ...reading,
  name: 'assortment.get',
  summary: 'Read the values of a product: of the catalog, of the organization and of a shop',
  path: `${ORGANIZATION}/assortment/{p1Id}`,
  query: AssortmentProductQuery,
  reply: AssortmentProduct,
});

export const findAddable = consoleOperation({
  ...reading,
  name: 'assortment.addable',
  summary: 'Find products of the catalog that the inventory does not have',
  path: `${ORGANIZATION}/addable-products`,
  query: AddableQuery,
  narrow: 'Give q more characters.',
  reply: AddableProducts,
});
