import { type Caller, WARM_UP_ORG_ID } from '@offizin/contracts/caller';
import type { Operation, ServiceName } from '@offizin/contracts/operation';
import { ALL_SCOPES } from '@offizin/contracts/scopes';
import {
  type AroundCall,
  type OperationHandler,
  type ReceivedCall,
  serveOperation,
} from '@offizin/operations/serve-operation';
import { errorFields, log } from '@offizin/runtime/log';
import { newRequestId } from '@offizin/runtime/request-id';
import { WARM_UP_CALLS } from './warm-up-calls';

/** Halves the p99 of the first calls. V8 compiles a request fully after about 1,600, too many for a start. */
const ROUNDS = 100;
const WARM_UP_LIMIT_MS = 1_500;

/** With it no span of the call is recorded. */
const UNSAMPLED = `00-${'1'.repeat(32)}-${'1'.repeat(16)}-00`;

export interface WarmUp {
  service: ServiceName;
  handlerOf: (op: Operation) => OperationHandler | null;
  around: AroundCall;
  limitMs?: number;
}

/**
 * Calls the service's own operations before it takes calls of others: code that has not run yet is slow, and each
 * connection prepares its statements. Neither a failure nor a hanging call stops the start.
 */
export async function warmUp({ service, limitMs = WARM_UP_LIMIT_MS, ...way }: WarmUp): Promise<void> {
  const startedAtMs = performance.now();
  const calls = callsOf(service, way);
  let rounds = 0;
  let isOver = false;
  const repeat = async (): Promise<void> => {
    for (; rounds < ROUNDS && !isOver; rounds++) await Promise.all(calls.map((call) => call()));
  };
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
  try {
    await Promise.race([repeat(), limit]);
    log.info({ app: service, rounds, ms: Math.round(performance.now() - startedAtMs) }, 'warmed up');
  } catch (error) {
    log.warn({ app: service, rounds, ...errorFields(error) }, 'warm-up failed');
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

function callsOf(
  service: ServiceName,
  { handlerOf, around }: Pick<WarmUp, 'handlerOf' | 'around'>,
): (() => Promise<void>)[] {
  return WARM_UP_CALLS.filter(({ op }) => op.service === service).map(({ op, body, ...call }) => {
    const received: ReceivedCall = {
      caller: callerOf(op),
      params: {},
      queryString: '',
      headers: {},
      traceparent: UNSAMPLED,
      ...call,
      body: Buffer.from(body ? JSON.stringify(body) : ''),
    };
    return async () => {
      const handler = handlerOf(op);
      if (!handler) throw new Error(`no handler for ${op.name}`);
      const { status } = await serveOperation(op, handler, received, around);
      if (status >= 500) throw new Error(`${op.name} answered ${status}`);
    };
  });
}

function callerOf({ access }: Operation): Caller {
  const known = { orgId: WARM_UP_ORG_ID, actorId: WARM_UP_ORG_ID, requestId: newRequestId() };
  if (access === 'connector') return { kind: 'integration', shopId: WARM_UP_ORG_ID, scopes: [], ...known };
  return { kind: 'key', shopId: null, scopes: ALL_SCOPES, ...known };
}
