import { CreateIdempotencyKeys1763726400000 } from './create-idempotency-keys-migration';
import { CreateTables1763000000000 } from './create-tables-migration';
import { ReplacedReservations1763743000000 } from './replaced-reservations-migration';
import { OutboxTrace1763750000000 } from './outbox-trace-migration';
import { OutboxTimes1763770000000 } from './outbox-times-migration';
import { SetAside1763820000000 } from './set-aside-migration';
import { AnswerObjects1763850000000 } from './answer-objects-migration';

/** In the order in which they run. */
export const migrations = [
  CreateTables1763000000000,
  CreateIdempotencyKeys1763726400000,
  ReplacedReservations1763743000000,
  OutboxTrace1763750000000,
  OutboxTimes1763770000000,
  SetAside1763820000000,
  AnswerObjects1763850000000,
];
