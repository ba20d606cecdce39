import { Unreachable } from '@offizin/contracts/calls/errors';
import type { Operation } from '@offizin/contracts/calls/operation';
import { type OperationHandler, type ReceivedCall, serveOperation, type WireAnswer } from './serve-operation';

type SpecCall = Pick<ReceivedCall, 'caller' | 'params' | 'queryString' | 'headers' | 'answerWithinMs'> & {
  body: unknown;
};

/** Messages of `Unreachable` and `TooSlow` for a database (libs/pg/database-failures.ts). */
const DATABASE_LATE = /The database (?:is unavailable|did not finish this request in time)/;

/**
 * For specs that call a handler without a process. `body` is encoded as JSON; undefined sends no body. Throws for
 * status 500, because a spec that ignores the status would hide an internal error, and `Unreachable` when the database
 * was unavailable or too slow.
 */
export async function serveInSpec(
  op: Operation,
  handler: OperationHandler,
  call: SpecCall,
): Promise<WireAnswer> {
  const body = Buffer.from(call.body === undefined ? '' : JSON.stringify(call.body));
  // A spec that shares the processor is not a measurement of the deadline.
  const { answerWithinMs = 60_000 } = call;
  const answer = await serveOperation(op, handler, { ...call, body, answerWithinMs });
  if (answer.status < 500) return answer;
  const text = Buffer.from(answer.body).toString();
  if (answer.status === 500) throw new Error(`${op.name} answered 500: ${text}`);
  const [late] = DATABASE_LATE.exec(text) ?? [];
  if (late) throw new Unreachable('service_unavailable', `${late}: ${op.name}`);
  return answer;
}
