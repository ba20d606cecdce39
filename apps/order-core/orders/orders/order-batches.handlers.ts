import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { type Answer, type Call, type DtoClass, ok } from '@offizin/contracts/calls/operation';
import {
  type OrderBatchResponse,
  type OrderStatusBatchResponse,
  OrderStatusPatch,
  patchOrderStatuses,
  upsertOrders,
} from '@offizin/contracts/orders/order-batches';
import { OrderUpsertBody } from '@offizin/contracts/orders/orders';
import { type Claiming, OrderWrites, type SharedTerms } from './order-writes';
import { NeedsOwnTransaction } from './stock-claimed-orders';
import { Refused, Unreachable } from '@offizin/contracts/calls/errors';
import { isOfMember, readMember, refusedMember, type RefusedMember } from '@offizin/operations/batch-member';
import { isRefusedStatement } from '@offizin/pg/database';

/** Many orders in one call. Each member goes the way of the single call, with its statements, events and rules. */
@Controller()
export class OrderBatchesHandlers {
  constructor(private readonly writes: OrderWrites) {}

  @Handles(upsertOrders)
  async upsert({ caller, body, answerByMs }: Call<typeof upsertOrders>): Promise<Answer<OrderBatchResponse>> {
    const claiming = claimsInTurn(answerByMs);
    const names = this.writes.namesFor(caller);
    const outcomes = await runMembers(body.orders, {
      dto: OrderUpsertBody,
      keyOf: ({ shop_id, external_id }) => `${shop_id.toLowerCase()} ${external_id}`,
      prepare: (members) => names.learn(members.flatMap(({ items }) => items ?? [])),
      run: async (member, shared) => {
        const { row, change } = await this.writes.upsert(caller, member, { ...shared, names, claiming });
        return { status: change, order_id: row.id };
      },
      orderOf: ({ shop_id, external_id }, shared) =>
        this.writes.orderOf(caller, [shop_id, external_id], shared?.tx),
      together: (members, work) => this.writes.upsertTogether(caller, members, claiming, work),
      answerByMs,
    });
    return ok({ results: outcomes.map((outcome, index) => ({ index, ...outcome })) });
  }

  @Handles(patchOrderStatuses)
  async patchStatus({
    caller,
    body,
    answerByMs,
  }: Call<typeof patchOrderStatuses>): Promise<Answer<OrderStatusBatchResponse>> {
    const claiming = claimsInTurn(answerByMs);
    const outcomes = await runMembers(body.patches, {
      dto: OrderStatusPatch,
      keyOf: ({ order_id }) => order_id.toLowerCase(),
      run: async ({ order_id, ...patch }, shared) => {
        const { changed, order_id: id } = await this.writes.patchStatus(caller, order_id, patch, {
          ...shared,
          claiming,
        });
        return { status: changed ? ('updated' as const) : ('unchanged' as const), order_id: id };
      },
      orderOf: ({ order_id }, shared) => this.writes.knownId(caller, order_id, shared?.tx),
      together: (_, work) => this.writes.transaction(work),
      answerByMs,
    });
    return ok({ results: outcomes.map((outcome, index) => ({ index, ...outcome })) });
  }
}

/** Members that run together: a statement of MicroBatches. More would make single calls of others wait behind them. */
const WINDOW = 64;
/** Fewer members of one order do not share a transaction after one in which they could not. */
const MIN_SHARED = 8;
/** Transactions of a batch that run together. Other calls need connections, too. */
const MAX_TRANSACTIONS = 3;
/**
 * Claims of a batch that run together. The catalog takes those of an organization one after the other, about 20 ms each. A
 * whole window would end after the time of the batch, and its caller would get one 503 for all.
 */
const MAX_CLAIMS = 8;
/** For the last members that begin, and for the answer. */
const RESERVED_MS = 1_000;

/** A refused member has an order where the change would have been one of it. */
export type RefusedOrder = RefusedMember & { order_id: string | null };

interface Runs<Member, Outcome> extends Pick<Call<unknown>, 'answerByMs'> {
  dto: DtoClass<Member & object>;
  /** Members of one key run one after the other. */
  keyOf: (member: Member) => string;
  /** Before the transactions of members that share one: they must not wait for the catalog. */
  prepare?: (members: readonly Member[]) => Promise<void>;
  /** Members of one order may share a transaction. */
  run: (member: Member, shared?: SharedTerms) => Promise<Outcome>;
  /** The id of the order that a refused member names; null where there is no such order. */
  orderOf: (member: Member, shared?: SharedTerms) => Promise<string | null>;
  /** Makes the transaction of members of one order. Throws NeedsOwnTransaction where they cannot share one. */
  together: (members: readonly Member[], work: (shared: SharedTerms) => Promise<void>) => Promise<void>;
}

type Outcomes<Member, Outcome> = Map<Member | Refused, Outcome | RefusedOrder>;

/**
 * Runs each member by itself. Resolves with one outcome per member, in their order. Throws what is not a fault of a
 * member, such as a database that is unreachable; what ran before stays, and a repeat of the batch finds it unchanged.
 * Each window is checked when it is its turn, so that the check of a whole batch does not hold the event loop.
 */
async function runMembers<Member extends object, Outcome>(
  plain: readonly unknown[],
  runs: Runs<Member, Outcome>,
): Promise<(Outcome | RefusedOrder)[]> {
  const outcomes: Outcomes<Member, Outcome> = new Map();
  for (let start = 0; start < plain.length; start += WINDOW) {
    const byKey = new Map<string, Member[]>();
    for (const one of plain.slice(start, start + WINDOW)) {
      const member = readMember(runs.dto, one);
      // Also reserves the place of a member that runs later.
      outcomes.set(member, refusedOrder(member instanceof Refused ? member : new NotBegun()));
      if (member instanceof Refused) continue;
      const key = runs.keyOf(member);
      const earlier = byKey.get(key);
      if (earlier) earlier.push(member);
      else byKey.set(key, [member]);
    }
    const sequences = [...byKey.values()];
    const single = sequences.filter(({ length }) => length === 1);
    await Promise.all(single.map((members) => runInTurn(members, runs, outcomes)));
    const shared = sequences.filter(({ length }) => length > 1);
    if (!isTooLate(runs.answerByMs)) await runs.prepare?.(shared.flat());
    while (shared.length > 0) {
      const next = shared.splice(0, MAX_TRANSACTIONS);
      await Promise.all(next.map((members) => runTogether(members, runs, outcomes)));
    }
  }
  return [...outcomes.values()];
}

/**
 * Members of one order share a transaction, so that many changes of it take little time. It locks one order, so it
 * cannot deadlock. After a member that ends it, or needs another one, nothing was stored, and each half of them shares
 * one. Few members run alone: where many lack stock, more tries would take longer than they save.
 */
async function runTogether<Member extends object, Outcome>(
  members: readonly Member[],
  runs: Runs<Member, Outcome>,
  outcomes: Outcomes<Member, Outcome>,
): Promise<void> {
  try {
    await runs.together(members, (shared) => runInTurn(members, runs, outcomes, shared));
  } catch (error) {
    const isUndone = error instanceof NeedsOwnTransaction || error instanceof NotBegun;
    if (!isUndone && !isRefusedStatement(error)) throw error;
    const half = Math.ceil(members.length / 2);
    for (const part of [members.slice(0, half), members.slice(half)]) {
      const run = error instanceof NotBegun || part.length < MIN_SHARED ? runInTurn : runTogether;
      await run(part, runs, outcomes);
    }
  }
}

async function runInTurn<Member extends object, Outcome>(
  members: readonly Member[],
  runs: Runs<Member, Outcome>,
  outcomes: Outcomes<Member, Outcome>,
  shared?: SharedTerms,
): Promise<void> {
  for (const member of members) outcomes.set(member, await outcomeOf(member, runs, shared));
}

async function outcomeOf<Member extends object, Outcome>(
  member: Member,
  { run, orderOf, answerByMs = Infinity }: Runs<Member, Outcome>,
  shared?: SharedTerms,
): Promise<Outcome | RefusedOrder> {
  if (isTooLate(answerByMs)) return refusedOrder(new NotBegun());
  try {
    return await run(member, shared);
  } catch (error) {
    if (error instanceof NotBegun) return refusedOrder(error);
    // Where the refusing statement ended the transaction, reading the order fails, and so does the transaction.
    if (isOfMember(error)) return refusedOrder(error, await orderOf(member, shared));
    throw error;
  }
}

function refusedOrder(error: Refused | Unreachable, orderId: string | null = null): RefusedOrder {
  return { ...refusedMember(error), order_id: orderId };
}

class NotBegun extends Unreachable {
  constructor() {
    super(
      'service_unavailable',
      'The time of the batch ended before this member, so nothing of it was stored: send it again in another batch.',
    );
  }
}

function isTooLate(answerByMs = Infinity): boolean {
  return performance.now() > answerByMs - RESERVED_MS;
}

/** The claims of one batch, a few at a time, each only while there is time. After a failure of the batch none begins. */
function claimsInTurn(answerByMs: number | undefined): Claiming {
  const waiting: (() => void)[] = [];
  let running = 0;
  let hasFailed = false;
  return async (claim) => {
    if (running < MAX_CLAIMS) running += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      if (hasFailed || isTooLate(answerByMs)) throw new NotBegun();
      return await claim();
    } catch (error) {
      hasFailed ||= !isOfMember(error);
      throw error;
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
