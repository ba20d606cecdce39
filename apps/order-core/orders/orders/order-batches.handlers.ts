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
import { OrderWrites } from './order-writes';
import { Refused } from '@offizin/contracts/calls/errors';
import { isOfMember, readMember, refusedMember, type RefusedMember } from '@offizin/operations/batch-member';

/** Many orders in one call. Each member goes the way of the single call, with its statements, events and rules. */
@Controller()
export class OrderBatchesHandlers {
  constructor(private readonly writes: OrderWrites) {}

  @Handles(upsertOrders)
  async upsert({ caller, body }: Call<typeof upsertOrders>): Promise<Answer<OrderBatchResponse>> {
    const outcomes = await runMembers(body.orders, {
      dto: OrderUpsertBody,
      keyOf: ({ shop_id, external_id }) => `${shop_id.toLowerCase()} ${external_id}`,
      run: async (member) => {
        const { row, change } = await this.writes.upsert(caller, member);
        return { status: change, order_id: row.id };
      },
      orderOf: ({ shop_id, external_id }) => this.writes.orderOf(caller, shop_id, external_id),
    });
    return ok({ results: outcomes.map((outcome, index) => ({ index, ...outcome })) });
  }

  @Handles(patchOrderStatuses)
  async patchStatus({
    caller,
    body,
  }: Call<typeof patchOrderStatuses>): Promise<Answer<OrderStatusBatchResponse>> {
    const outcomes = await runMembers(body.patches, {
      dto: OrderStatusPatch,
      keyOf: ({ order_id }) => order_id.toLowerCase(),
      run: async ({ order_id, ...patch }) => {
        const { changed, order_id: id } = await this.writes.patchStatus(caller, order_id, patch, null);
        return { status: changed ? ('updated' as const) : ('unchanged' as const), order_id: id };
      },
      orderOf: ({ order_id }) => this.writes.knownId(caller, order_id),
    });
    return ok({ results: outcomes.map((outcome, index) => ({ index, ...outcome })) });
  }
}

/** Members that run at once: a statement of MicroBatches. More would make single calls of others wait behind them. */
const AT_ONCE = 64;

/** A refused member has an order where the change would have been one of it. */
export type RefusedOrder = RefusedMember & { order_id: string | null };

interface Runs<Member, Outcome> {
  dto: DtoClass<Member & object>;
  /** Members of one key run one after the other. */
  keyOf: (member: Member) => string;
  run: (member: Member) => Promise<Outcome>;
  /** The id of the order that a refused member names; null where there is no such order. */
  orderOf: (member: Member) => Promise<string | null>;
}

/**
 * Runs each member by itself. Resolves with one outcome per member, in their order. Throws what is no fault of a member,
 * such as a database that is away; what ran before stays, and a repeat of the batch finds it unchanged.
 */
async function runMembers<Member extends object, Outcome>(
  plain: readonly unknown[],
  runs: Runs<Member, Outcome>,
): Promise<(Outcome | RefusedOrder)[]> {
  const outcomes: (Outcome | RefusedOrder)[] = [];
  for (const group of groupsOf(plain, runs)) {
    outcomes.push(...(await Promise.all(group.map((one) => outcomeOf(one, runs)))));
  }
  return outcomes;
}

/**
 * Neighbours in the batch, without two of one key: they run at once. Each group is checked when it is its turn, so that
 * the check of a whole batch does not hold the event loop.
 */
function* groupsOf<Member extends object>(
  plain: readonly unknown[],
  { dto, keyOf }: Pick<Runs<Member, never>, 'dto' | 'keyOf'>,
): Generator<(Member | Refused)[]> {
  let group: (Member | Refused)[] = [];
  const keys = new Set<string>();
  for (const one of plain) {
    const member = readMember(dto, one);
    const key = member instanceof Refused ? null : keyOf(member);
    if (group.length === AT_ONCE || (key !== null && keys.has(key))) {
      yield group;
      group = [];
      keys.clear();
    }
    group.push(member);
    if (key !== null) keys.add(key);
  }
  yield group;
}

async function outcomeOf<Member extends object, Outcome>(
  member: Member | Refused,
  { run, orderOf }: Pick<Runs<Member, Outcome>, 'run' | 'orderOf'>,
): Promise<Outcome | RefusedOrder> {
  if (member instanceof Refused) return { ...refusedMember(member), order_id: null };
  try {
    return await run(member);
  } catch (error) {
    if (isOfMember(error)) return { ...refusedMember(error), order_id: await orderOf(member) };
    throw error;
  }
}
