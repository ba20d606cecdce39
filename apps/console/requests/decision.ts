import type { ApproveBody, RejectBody } from '@offizin/contracts/order-request-review';

/** What a person has decided about one request, as it was on the screen. */
export type Act =
  | { kind: 'approve'; body: ApproveBody & { version: number } }
  | { kind: 'reject'; body: RejectBody }
  | { kind: 'ask'; question: string };

export interface Decision {
  /** Of the request. */
  id: string;
  /** For messages. */
  customer: string;
  /** Idempotency key: the same for every attempt to send it. */
  key: string;
  act: Act;
}
