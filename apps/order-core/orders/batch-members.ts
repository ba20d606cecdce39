import type { ErrorCode } from '@offizin/contracts/error-table';
import { errorAnswer, type Problem, Refused, TooSlow } from '@offizin/contracts/errors';
import type { DtoClass } from '@offizin/contracts/operation';
import { MAX_MEMBER_PROBLEMS } from '@offizin/contracts/order-batches';
import { validate } from '@offizin/operations/validate';

/** Members that run at once: a statement of MicroBatches. More would make single calls of others wait behind them. */
const AT_ONCE = 64;

export interface RefusedMember {
  status: 'error';
  order_id: null;
  error: ErrorCode;
  message: string;
  details?: Problem[];
}

interface Runs<Member, Outcome> {
  dto: DtoClass<Member & object>;
  /** Members of one key run one after the other. */
  keyOf: (member: Member) => string;
  run: (member: Member) => Promise<Outcome>;
}

/**
 * Runs each member by itself. Resolves with one outcome per member, in their order. Throws what is no fault of a member,
 * such as a database that is away; what ran before stays, and a repeat of the batch finds it unchanged.
 */
export async function runMembers<Member extends object, Outcome>(
  plain: readonly unknown[],
  runs: Runs<Member, Outcome>,
): Promise<(Outcome | RefusedMember)[]> {
  const outcomes: (Outcome | RefusedMember)[] = [];
  for (const group of groupsOf(plain, runs)) {
    outcomes.push(...(await Promise.all(group.map((one) => outcomeOf(one, runs.run)))));
  }
  return outcomes;
}

function read<Member extends object>(plain: unknown, dto: DtoClass<Member>): Member | Refused {
  try {
    return validate(dto, plain);
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
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
    const member = read(one, dto);
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
  run: (member: Member) => Promise<Outcome>,
): Promise<Outcome | RefusedMember> {
  try {
    if (member instanceof Refused) throw member;
    return await run(member);
  } catch (error) {
    if (isOfMember(error)) return refused(error);
    throw error;
  }
}

/** A caller who is not live any more is refused as a whole. */
function isOfMember(error: unknown): error is Refused | TooSlow {
  return error instanceof Refused ? error.code !== 'unauthorized' : error instanceof TooSlow;
}

function refused(error: Refused | TooSlow): RefusedMember {
  const { error: code, message = '', details } = errorAnswer(error).body;
  const first = details?.slice(0, MAX_MEMBER_PROBLEMS);
  return { status: 'error', order_id: null, error: code, message, ...(first && { details: first }) };
}
