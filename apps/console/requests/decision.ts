import type { ApproveBody, RejectBody } from '@offizin/contracts/order-request-review';
import type { Held } from '../held/held-decisions';

/** What a person has decided about one request, as it was on the screen. */
export type Act =
  | { kind: 'approve'; body: ApproveBody & { version: number } }
  | { kind: 'reject'; body: RejectBody }
  | { kind: 'ask'; question: string };

export type Decision = Held<Act>;
