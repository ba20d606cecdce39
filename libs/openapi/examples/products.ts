import {
  CatalogListResponse,
  CatalogProduct,
  type CatalogProductSummary,
} from '@offizin/contracts/products/catalog-products';
import {
  AddToInventoryRequest,
  InventoryAdjustRequest,
  InventoryAdjustResponse,
  InventoryListResponse,
  InventoryLogResponse,
  InventoryRow,
} from '@offizin/contracts/products/inventory';
import {
  InventoryAdjustBatchBody,
  InventoryAdjustBatchResponse,
} from '@offizin/contracts/products/inventory-batches';
import {
  Attach,
  Detach,
  DetachProductResponse,
  Overrides,
  PartnerProductsResponse,
  Product,
  ProductListResponse,
  ProductUpdateBody,
  ShopListResponse,
  ShopProductResponse,
} from '@offizin/contracts/products/products';
import { FIXED_LIMITS, PartnerShop } from '@offizin/contracts/requests/partner-shop';
import {
  CHANGED_AT,
  CREATED_AT,
  example,
  FIRST_OF_MANY,
  FIRST_PAGE,
  KEY_ID,
  LAST_PAGE,
  LINE,
  LOG_ID,
  SHOP_ID,
} from './example';

const CODES = { pzn: '03752864', codes: ['04006381333931'] };
const IN_CATALOG: CatalogProductSummary = {
  ...LINE,
  slug: 'lavendelblueten-10-g',
  category: 'Tee',
  thc: null,
  cbd: null,
  available: true,
  ...CODES,
};
const DESCRIPTION = 'Dried flowers of lavender';
const OF_ORGANIZATION = { ...IN_CATALOG, stock_quantity: 12, shop_id: null };
const OVERRIDES = { price: 44.95, shelf: 'A3' };
const OF_SHOP = { ...OF_ORGANIZATION, price: OVERRIDES.price, shop_id: SHOP_ID };
const TIMES = { created_at: CREATED_AT, updated_at: CHANGED_AT };
const IN_SHOP = { shop_id: SHOP_ID, p1_id: LINE.p1_id };

const STOCK: InventoryRow = {
  ...LINE,
  category: 'Tee',
  stock_quantity: 12,
  reserved_quantity: 2,
  available_quantity: 10,
  low_stock_threshold: 5,
  available: true,
  ...CODES,
  ...TIMES,
};

export const PRODUCT_EXAMPLES = [
  example(ShopListResponse, {
    data: [{ shop_id: SHOP_ID, name: 'Dom-Apotheke', is_active: true, is_test: false }],
    pagination: LAST_PAGE,
  }),
  example(ProductListResponse, {
    data: [{ ...OF_SHOP, ...TIMES, detached_at: null }],
    pagination: FIRST_PAGE,
  }),
  example(PartnerProductsResponse, {
    data: [
      {
        ...LINE,
        price: OVERRIDES.price,
        category: 'Tee',
        thc: null,
        cbd: null,
        available: true,
        stock: 'low',
        pzn: CODES.pzn,
        updated_at: CHANGED_AT,
        detached_at: null,
      },
    ],
    pagination: LAST_PAGE,
  }),
  example(PartnerShop, {
    name: 'Dom-Apotheke',
    is_test: false,
    key_expires_at: null,
    limits: { requests_per_second: 20, requests_burst: 40, products_per_second: 10, ...FIXED_LIMITS },
  }),
  example(Product, { ...OF_ORGANIZATION, description: DESCRIPTION, overrides: null }),
  example(ProductUpdateBody, { price: 47.5, low_stock_threshold: 5, ...CODES }),
  example(Attach, { ...IN_SHOP, overrides: OVERRIDES, mode: 'merge' }),
  example(Detach, IN_SHOP),
  example(Overrides, { ...IN_SHOP, overrides: OVERRIDES, mode: 'merge' }),
  example(ShopProductResponse, {
    ...IN_SHOP,
    overrides: OVERRIDES,
    product: { ...OF_SHOP, description: DESCRIPTION, overrides: OVERRIDES },
  }),
  example(DetachProductResponse, { ...IN_SHOP, status: 'detached' }),
  example(CatalogListResponse, { data: [IN_CATALOG], pagination: FIRST_PAGE }),
  example(CatalogProduct, { ...IN_CATALOG, description: DESCRIPTION }),
  example(AddToInventoryRequest, { p1_id: LINE.p1_id, initial_stock: 12 }),
  example(InventoryRow, STOCK),
  example(InventoryListResponse, { data: [STOCK], pagination: FIRST_PAGE }),
  example(InventoryAdjustRequest, { p1_id: LINE.p1_id, delta: 12, reason: 'received', reference: 'LS-2207' }),
  example(InventoryAdjustResponse, { status: 'ok', id: LOG_ID, stock_quantity: 24 }),
  example(InventoryAdjustBatchBody, {
    adjustments: [
      { p1_id: LINE.p1_id, delta: 12, reason: 'received', reference: 'LS-2208' },
      { p1_id: LINE.p1_id, delta: -1, reason: 'damaged' },
    ],
  }),
  example(InventoryAdjustBatchResponse, {
    results: [
      { index: 0, status: 'updated', id: LOG_ID, stock_quantity: 24 },
      {
        index: 1,
        status: 'error',
        id: null,
        stock_quantity: null,
        error: 'out_of_stock',
        message: 'Only 0 of 24 pieces can be taken away; 24 are reserved.',
      },
    ],
  }),
  example(InventoryLogResponse, {
    data: [
      {
        id: LOG_ID,
        p1_id: LINE.p1_id,
        delta: 12,
        stock_after: 24,
        reason: 'received',
        note: null,
        reference: 'LS-2207',
        actor: `key:${KEY_ID}`,
        created_at: CHANGED_AT,
      },
    ],
    pagination: { ...FIRST_OF_MANY, next_cursor: null },
  }),
];
