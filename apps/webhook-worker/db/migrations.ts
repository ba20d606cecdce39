import { AddTraces1772600000000 } from './add-traces';
import { CreateIdempotencyKeys1772500000000 } from './create-idempotency-keys';
import { CreateWebhooks1772400000000 } from './create-webhooks';
import { LeaveRoomForLeases1772700000000 } from './leave-room-for-leases';
import { DropOutboxTimes1772800000000 } from './drop-outbox-times';
import { SetAside1772900000000 } from './set-aside';
import { AddAnswerObjects1773200000000 } from './add-answer-objects';

/** Oldest first. A migration that was released is never edited; a later one corrects it. */
export const migrations = [
  CreateWebhooks1772400000000,
  CreateIdempotencyKeys1772500000000,
  AddTraces1772600000000,
  LeaveRoomForLeases1772700000000,
  DropOutboxTimes1772800000000,
  SetAside1772900000000,
  AddAnswerObjects1773200000000,
];
