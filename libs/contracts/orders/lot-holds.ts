import { MAX_LOT_LENGTH } from '@offizin/codes/lot';
import { Nested, Text, Timestamp } from '../calls/fields';
import { operation } from '../calls/operation';
import { Described } from '../calls/schema';
import { Lot } from './lots';

/** Lots that must not be packed, such as recalled ones. Their stock can still be booked out. */

/** Of an organization. */
export const MAX_LOT_HOLDS = 200;
export const MAX_HOLD_REASON_LENGTH = 200;

@Described('A lot on hold')
export class LotHold {
  @Text({ format: 'uuid', description: 'Id of the hold' }) id!: string;
  @Text({ description: 'Catalog product id' }) p1_id!: string;
  @Text({ maxLength: MAX_LOT_LENGTH, description: 'Number of the lot, in capitals' }) lot!: string;
  @Text({ maxLength: MAX_HOLD_REASON_LENGTH, description: 'Why' }) reason!: string;
  @Text({ description: 'Who, as in the audit log' }) held_by!: string;
  @Timestamp({ description: 'Since when, in UTC' }) held_at!: string;
}

@Described('The same again is a 200 and changes nothing; with another reason it is a 409.')
export class LotHoldBody {
  @Text({ minLength: 1, description: 'Catalog product id' }) p1_id!: string;
  @Lot({ description: 'Number of the lot, stored in capitals' }) lot!: string;
  @Text({ minLength: 1, maxLength: MAX_HOLD_REASON_LENGTH, description: 'Why; no personal data' })
  reason!: string;
}

@Described('Lots on hold, the newest first')
export class LotHoldListResponse {
  @Nested(() => LotHold, { list: { maxItems: MAX_LOT_HOLDS } }) data!: LotHold[];
}

const HOLDS = '/api/v2/public/orgs/{orgId}/lots/holds';

export const holdLot = operation({
  name: 'lots.hold',
  summary: `Put a lot on hold, so that no order takes it; at most ${MAX_LOT_HOLDS}`,
  refuses: ['conflict'],
  access: 'order_requests.review',
  method: 'POST',
  path: HOLDS,
  body: LotHoldBody,
  reply: LotHold,
  statuses: [201, 200],
});

export const listLotHolds = operation({
  name: 'lots.list-holds',
  summary: 'List lots on hold',
  access: 'orders.read',
  path: HOLDS,
  reply: LotHoldListResponse,
});

export const liftLotHold = operation({
  name: 'lots.lift-hold',
  summary: 'Lift a hold',
  access: 'order_requests.review',
  method: 'DELETE',
  path: `${HOLDS}/{holdId}`,
  statuses: [204],
});
