import type { ApproveBody, ClarificationBody, RejectBody } from '@offizin/contracts/order-request-review';
import type { Held } from '../held/held-decisions';

/** What a person has decided about one request. */
export type Choice =
  | { kind: 'approve'; body: ApproveBody }
  | { kind: 'reject'; body: RejectBody }
  | { kind: 'ask'; body: ClarificationBody };

/** The decision belongs to the version that was on the screen. */
export type Act = Choice & { version: number };

export type Decision = Held<Act>;
