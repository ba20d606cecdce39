import type { Caller } from '@offizin/contracts/calls/caller';
import type { Answer, Call, Operation } from '@offizin/contracts/calls/operation';
import { type ObservedCall, stepsOf } from '@offizin/contracts/requests/certification-steps';
import { type OperationHandler, refusalOf } from '@offizin/operations/serve-operation';
import type { Database } from '@offizin/pg/database';
import { errorFields, log } from '@offizin/runtime/log';
import { tickSteps } from './certification.store';

/**
 * Ticks the steps of the certification that a call of the connector counts for. It looks at calls from outside of their
 * handlers, because a refused call leaves no rows. The edge has marked the calls at test shops: no other one is looked at.
 */
export class Certification {
  constructor(private readonly database: Database) {}

  /** The handler, observed where its calls may count. */
  observed(op: Operation, handler: OperationHandler): OperationHandler {
    if (op.access !== 'connector') return handler;
    return (call) => (call.caller.atTestShop === true ? this.observe(op, handler, call) : handler(call));
  }

  private async observe(
    op: Operation,
    handler: OperationHandler,
    call: Call<Operation>,
  ): Promise<Answer<unknown>> {
    const seen = { kind: 'call' as const, operation: op.name };
    try {
      const answer = await handler(call);
      const { status, found } = answer;
      await this.tick(call.caller, { ...seen, status, found, request: requestIn(answer) });
      return answer;
    } catch (error) {
      const { status } = refusalOf(op, error);
      await this.tick(call.caller, { ...seen, status, found: undefined, request: {} });
      throw error;
    }
  }

  /** A step that cannot be kept is not a reason to fail the call. */
  private async tick(
    { orgId, shopId, actorId: keyId, requestId }: Caller,
    seen: ObservedCall,
  ): Promise<void> {
    const steps = stepsOf(seen);
    if (steps.length === 0 || shopId === null) return;
    await tickSteps(this.database, { orgId, shopId, keyId, steps, doneBy: requestId }).catch(
      (error: unknown) =>
        log.warn({ request_id: requestId, steps, ...errorFields(error) }, 'steps not certified'),
    );
  }
}

function requestIn({ content }: Answer<unknown>): ObservedCall['request'] {
  return content?.kind === 'value' ? (content.value as ObservedCall['request']) : {};
}
