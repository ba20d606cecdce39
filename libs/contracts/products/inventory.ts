import { Flag, Int, MAX_QUANTITY, Money, Nested, OneOf, QueryFlag, QueryText, Text } from '../calls/fields';
import { Timestamp, UseInstead } from '../calls/fields';
import { operation } from '../calls/operation';
import {
  OffsetPagination,
  CursorQuery,
  MAX_PAGE_SIZE,
  PageDeltaQuery,
  PagePagination,
} from '../calls/paging';
import { ProductCodes, Pzn, QueryCode } from './codes';
import { MAX_INITIAL_STOCK, MAX_STOCK } from './products';
import { Described } from '../calls/schema';

/** The organization's stock: quantities, reservations for approved orders, and the log of changes. */

export const ADJUST_REASONS = ['received', 'sold', 'returned', 'damaged', 'expired', 'correction'] as const;
export type AdjustReason = (typeof ADJUST_REASONS)[number];

@Described('A product of the inventory with its stock')
export class InventoryRow {
  @Text({ description: 'Catalog product id' }) p1_id!: string;
  @Text({ description: 'Name of the product in the organization' }) name!: string;
  @Text({ nullable: true }) category!: string | null;
  @Money({ description: "The organization's price in EUR of one piece, else that of the catalog" })
  price!: number;
  @Int({ description: 'Pieces, reserved ones included' }) stock_quantity!: number;
  @Int({ description: 'Pieces held for approved orders' }) reserved_quantity!: number;
  @Int({ description: 'stock_quantity less reserved_quantity' }) available_quantity!: number;
  @Int({ description: 'Stock at or below this number counts as low' }) low_stock_threshold!: number;
  @Flag({ description: 'Offered for sale; says nothing about the stock' }) available!: boolean;
  @Pzn({ nullable: true, description: 'PZN in the organization; null when it has none' }) pzn!: string | null;
  @ProductCodes({ description: 'GTINs of the pack in the organization, as 14 digits' }) codes!: string[];
  @Timestamp({ description: 'When the product was added to the inventory, in UTC' }) created_at!: string;
  @Timestamp({ description: 'When the product or its stock was last changed, in UTC' }) updated_at!: string;
}

@Described('A product of the catalog that the organization takes into its inventory')
export class AddToInventoryRequest {
  @Text({ minLength: 1, description: 'Catalog product id' }) p1_id!: string;
  @Int({ optional: true, maximum: MAX_INITIAL_STOCK, description: 'Pieces; 1 when left out' })
  initial_stock: number = 1;
  @Money({ optional: true, nullable: true, description: "The organization's price; null is the catalog's" })
  price?: number | null;
}

export class InventoryListQuery extends PageDeltaQuery {
  @QueryText({ optional: true, description: 'Part of the name, the product id, the PZN or a GTIN' })
  q?: string;
  @QueryFlag({ description: 'Only products whose stock is at or below their threshold, or only the others' })
  low_stock?: boolean;
  @QueryCode() code?: string;
}

@Described('A page of the inventory')
export class InventoryListResponse {
  @Nested(() => InventoryRow, { list: { maxItems: MAX_PAGE_SIZE } }) data!: InventoryRow[];
  @Nested(() => PagePagination) pagination!: PagePagination;
}

/** Either `delta`, or `quantity` with or without `expected_quantity`. */
@Described('A change of the stock of a product: delta, or quantity with or without expected_quantity')
export class InventoryAdjustRequest {
  @Text({ minLength: 1, description: 'Catalog product id' }) p1_id!: string;
  @Int({ optional: true, minimum: -MAX_QUANTITY, maximum: MAX_QUANTITY, description: 'Pieces to add' })
  delta?: number;
  @Int({ optional: true, maximum: MAX_STOCK, description: 'New stock' }) quantity?: number;
  @Int({
    optional: true,
    maximum: MAX_STOCK,
    description: 'The stock that the caller expects; if it differs, nothing changes (409)',
  })
  expected_quantity?: number;
  @OneOf(ADJUST_REASONS, { description: 'Why the stock changes' }) reason!: AdjustReason;
  @Text({ optional: true, nullable: true, description: 'Text for the stock log; null or left out for none' })
  note?: string | null;
  @Text({
    optional: true,
    nullable: true,
    minLength: 1,
    description: 'Applied once per product, however often it is sent',
  })
  reference?: string | null;
  @UseInstead('quantity') qty?: never;
}

@Described('The stock after the change')
export class InventoryAdjustResponse {
  @OneOf(['ok'], { description: 'Always ok' }) status!: 'ok';
  @Text({ format: 'uuid', description: 'Entry of the stock log' }) id!: string;
  @Int({ description: 'Pieces in stock after the change, reserved ones included' }) stock_quantity!: number;
}

@Described('One change of the stock of a product')
export class InventoryLogEntry {
  @Text({ format: 'uuid', description: 'Id of the entry' }) id!: string;
  @Text() p1_id!: string;
  @Int({
    minimum: -MAX_STOCK,
    maximum: MAX_STOCK,
    description: 'Pieces that were added; negative for pieces that were taken',
  })
  delta!: number;
  @Int({ maximum: MAX_STOCK, description: 'Pieces in stock after the change, reserved ones included' })
  stock_after!: number;
  @OneOf(ADJUST_REASONS, { description: 'Why the stock changed' }) reason!: AdjustReason;
  @Text({ nullable: true, description: 'Text that came with the change' }) note!: string | null;
  @Text({ nullable: true, description: "The caller's reference, or the order that was sold" }) reference!:
    string | null;
  @Text({ description: 'API key id, or the process that acted' }) actor!: string;
  @Timestamp({ description: 'When the stock changed, in UTC' }) created_at!: string;
}

@Described('A page of the stock log, newest first')
export class InventoryLogResponse {
  @Nested(() => InventoryLogEntry, { list: { maxItems: MAX_PAGE_SIZE } }) data!: InventoryLogEntry[];
  @Nested(() => OffsetPagination) pagination!: OffsetPagination;
}

const ORGANIZATION = '/api/v2/public/orgs/{orgId}';

export const addToInventory = operation({
  name: 'products.add-to-inventory',
  summary: "Add a catalog product to the organization's inventory",
  refuses: ['not_found', 'conflict'],
  service: 'catalog',
  access: 'products.write',
  method: 'POST',
  path: `${ORGANIZATION}/products/add-to-inventory`,
  body: AddToInventoryRequest,
  reply: InventoryRow,
  statuses: [201, 200],
});

export const listInventory = operation({
  name: 'inventory.list',
  summary: "List the organization's stock",
  service: 'catalog',
  access: 'inventory.read',
  path: `${ORGANIZATION}/inventory`,
  query: InventoryListQuery,
  narrow: 'Ask for fewer rows (limit), a nearer page, or a more exact filter.',
  reply: InventoryListResponse,
});

export const adjustInventory = operation({
  name: 'inventory.adjust',
  summary: 'Change the stock of a product',
  refuses: ['not_found', 'stale_quantity', 'out_of_stock', 'reference_conflict'],
  service: 'catalog',
  access: 'inventory.write',
  method: 'POST',
  path: `${ORGANIZATION}/inventory/adjust`,
  body: InventoryAdjustRequest,
  reply: InventoryAdjustResponse,
});

export const inventoryLog = operation({
  name: 'inventory.log',
  summary: 'Every change of the stock of a product, newest first',
  service: 'catalog',
  access: 'inventory.read',
  path: `${ORGANIZATION}/inventory/{p1Id}/log`,
  query: CursorQuery,
  reply: InventoryLogResponse,
});
