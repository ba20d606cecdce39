import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { lotOf, MAX_LOT_LENGTH } from '@offizin/codes/lot';
import {
  CalendarDate,
  field,
  type FieldOptions,
  Int,
  MAX_TEXT_LENGTH,
  Nested,
  Quantity,
  Text,
} from '../calls/fields';
import { operation } from '../calls/operation';
import { Described } from '../calls/schema';

/** The lots of an order's packs, so that a recall finds who got one. They are written when the order is packed. */

/** Lots of one order: one for each line of the largest. */
export const MAX_LOTS = 500;
/** Limit of their JSON, so that the order fits MAX_ORDER_BYTES. */
export const MAX_LOTS_BYTES = 64 * 1024;
export const MAX_TEST_NUMBER_LENGTH = 40;

/** The number of a lot, in a body or a query. */
export function Lot(options: FieldOptions = {}): PropertyDecorator {
  const whole = Transform(({ value }) =>
    typeof value === 'string' ? (lotOf(value) ?? value) : (value as unknown),
  );
  const isLot = ValidateBy({
    name: 'lot',
    validator: {
      validate: (value) => typeof value === 'string' && lotOf(value) !== null,
      defaultMessage: () =>
        `must have 1 to ${MAX_LOT_LENGTH} printed characters, a letter or digit among them, with single blanks between`,
    },
  });
  const isWhole = (value: unknown): boolean => typeof value === 'string' && lotOf(value) === value;
  const schema = { type: 'string', minLength: 1, maxLength: MAX_TEXT_LENGTH, $check: isWhole };
  return field(schema, [whole, isLot], options);
}

@Described('Packs of one lot')
export class OrderLot {
  @Int({
    minimum: 1,
    nullable: true,
    description: 'Line of the product, from 1; null where the order no longer has it',
  })
  line!: number | null;
  @Text({ nullable: true, description: 'Catalog product id' }) p1_id!: string | null;
  @Text({ nullable: true, description: 'Name of the product' }) name!: string | null;
  @Text({ maxLength: MAX_LOT_LENGTH, description: 'Number of the lot, in capitals' }) lot!: string;
  @CalendarDate({ nullable: true, description: 'Last good day, in Berlin' }) expires_on!: string | null;
  @Text({
    nullable: true,
    maxLength: MAX_TEST_NUMBER_LENGTH,
    description: "Number of the pharmacy's test",
  })
  test_number!: string | null;
  @Quantity({ description: 'Pieces' }) quantity!: number;
}

const OF_LINE = 'As it was read; a line of another product is a 400';

@Described('Packs of one lot, as they are sent')
export class OrderLotBody {
  @Int({
    minimum: 1,
    nullable: true,
    description: 'Line of the product, from 1; null keeps a lot where the order no longer has it',
  })
  line!: number | null;
  @Lot({ description: 'Number of the lot, stored in capitals' }) lot!: string;
  @CalendarDate({ optional: true, nullable: true, description: 'Last good day, in Berlin' }) expires_on?:
    string | null;
  @Text({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: MAX_TEST_NUMBER_LENGTH,
    description: "Number of the pharmacy's test",
  })
  test_number?: string | null;
  @Quantity({ description: 'Pieces, together at most those of the line' }) quantity!: number;
  @Text({ optional: true, nullable: true, description: OF_LINE }) p1_id?: string | null;
  @Text({ optional: true, nullable: true, description: OF_LINE }) name?: string | null;
}

export const LOTS_FIELD = { list: { maxItems: MAX_LOTS }, description: 'Lots of packs; empty for none' };

@Described('Replaces all lots of the order.')
export class OrderLotsBody {
  @Nested(() => OrderLotBody, LOTS_FIELD) lots!: OrderLotBody[];
}

@Described('The lots of an order')
export class OrderLots {
  @Nested(() => OrderLot, LOTS_FIELD) lots!: OrderLot[];
}

export const setLots = operation({
  name: 'orders.set-lots',
  summary: 'Replace the lots of an order',
  refuses: ['conflict', 'lot_expired', 'lot_on_hold'],
  access: 'orders.write',
  method: 'PUT',
  path: '/api/v2/public/orgs/{orgId}/orders/{orderId}/lots',
  body: OrderLotsBody,
  reply: OrderLots,
  hasEntityTag: true,
});
