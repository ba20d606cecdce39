import { MAX_LOT_LENGTH } from '@offizin/codes/lot';
import { Flag, Nested, OneOf, Quantity, QueryText, Text, Timestamp } from '../calls/fields';
import { operation } from '../calls/operation';
import {
  CursorOnlyPagination,
  type CursorOnlyQuery,
  DEFAULT_PAGE_SIZE,
  OnlyCursor,
  PageSize,
} from '../calls/paging';
import { Described } from '../calls/schema';
import { TestMark } from '../calls/test-mark';
import { Lot } from './lots';
import { ORDER_STATUSES, ORDERS_PATH, type OrderStatus } from './orders';

/** A recall: who got packs of a lot, and who has been informed. */

/** Packs of a line without a product id may be of any product: they count for each. */
const OF_PRODUCT = 'Packs of this catalog product, and of lines that name none';
const TOLD = 'When the customer was informed, in UTC; null while that is to be done';

@Described('An order with packs of the lot')
export class LotOrder {
  @Text({ description: 'Id of the order' }) order_id!: string;
  @Text({ description: 'Identifier in the calling system' }) external_id!: string;
  @Text({ nullable: true, description: 'Number for people' }) order_number!: string | null;
  @Text({ description: 'Shop of the order' }) shop_id!: string;
  @OneOf(ORDER_STATUSES, { description: 'Step of the workflow' }) status!: OrderStatus;
  @Text({ nullable: true, description: 'Full name; null where none was given, and after an erasure' })
  customer_name!: string | null;
  @Text({ nullable: true, description: 'E-mail address' }) customer_email!: string | null;
  @Text({ nullable: true, description: 'Telephone number' }) phone!: string | null;
  @Text({ nullable: true, description: 'Catalog product id of the packs; of several, one' }) p1_id!:
    string | null;
  @Text({ nullable: true, description: 'Name of the product as packed; of several, all' }) name!:
    string | null;
  @Quantity({ description: 'Pieces of the lot' }) quantity!: number;
  @Timestamp({ description: 'When the order was made, in UTC' }) created_at!: string;
  @Timestamp({ nullable: true, description: TOLD }) told_at!: string | null;
  @TestMark() test?: boolean;
}

@Described('A page of orders with packs of the lot')
export class LotOrderListResponse {
  @Nested(() => LotOrder, { list: { maxItems: 200 } }) data!: LotOrder[];
  @Nested(() => CursorOnlyPagination) pagination!: CursorOnlyPagination;
}

export class LotOrderFilters {
  @QueryText({ optional: true, description: OF_PRODUCT }) p1_id?: string;
}

export class LotOrderListQuery extends LotOrderFilters implements CursorOnlyQuery {
  @PageSize() limit: number = DEFAULT_PAGE_SIZE;
  @OnlyCursor() cursor?: string;
}

export const listLotOrders = operation({
  name: 'lots.list-orders',
  summary: 'List the orders with packs of a lot, the newest first',
  refuses: ['not_found'],
  access: 'orders.read',
  path: '/api/v2/public/orgs/{orgId}/lots/{lot}/orders',
  query: LotOrderListQuery,
  reply: LotOrderListResponse,
  alsoCsv: true,
});

@Described('Whether the customer knows of the recall')
export class LotToldBody {
  @Lot({ description: 'Number of the lot' }) lot!: string;
  @Text({ optional: true, nullable: true, minLength: 1, description: `${OF_PRODUCT}; left out or null: all` })
  p1_id?: string | null;
  @Flag({ description: 'true: informed, the first time stays; false: to be done' }) told!: boolean;
}

@Described('Packs of the lot in the order')
export class LotTold {
  @Text({ description: 'Id of the order' }) order_id!: string;
  @Text({ maxLength: MAX_LOT_LENGTH, description: 'Number of the lot, in capitals' }) lot!: string;
  @Text({ nullable: true, description: 'As it was sent' }) p1_id!: string | null;
  @Quantity({ description: 'Pieces of the lot' }) quantity!: number;
  @Timestamp({ nullable: true, description: TOLD }) told_at!: string | null;
}

export const markTold = operation({
  name: 'lots.mark-told',
  summary: 'Note whether the customer of an order was informed about a lot',
  access: 'orders.write',
  method: 'PUT',
  path: `${ORDERS_PATH}/{orderId}/lots/told`,
  body: LotToldBody,
  reply: LotTold,
});
