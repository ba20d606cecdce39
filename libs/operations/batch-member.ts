import { MAX_MEMBER_PROBLEMS } from '@offizin/contracts/calls/batches';
import type { ErrorCode } from '@offizin/contracts/calls/error-table';
import {
  errorAnswer,
  type Problem,
  Refused,
  TooSlow,
  type Unreachable,
} from '@offizin/contracts/calls/errors';
import type { DtoClass } from '@offizin/contracts/calls/operation';
import { validate } from './validate';

/** Members of a batch (contracts/batches.ts), as far as every batch treats them alike. */

export interface RefusedMember {
  status: 'error';
  error: ErrorCode;
  message: string;
  details?: Problem[];
}

/** A member by the rules of the single call's body, or the reason for its refusal. */
export function readMember<Member extends object>(dto: DtoClass<Member>, plain: unknown): Member | Refused {
  try {
    return validate(dto, plain);
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

/** A caller who is not live any more is refused as a whole. */
export function isOfMember(error: unknown): error is Refused | TooSlow {
  return error instanceof Refused ? error.code !== 'unauthorized' : error instanceof TooSlow;
}

/** What the single call would answer, as the outcome of a member. */
export function refusedMember(error: Refused | Unreachable): RefusedMember {
  const { error: code, message = '', details } = errorAnswer(error).body;
  const first = details?.slice(0, MAX_MEMBER_PROBLEMS);
  return { status: 'error', error: code, message, ...(first && { details: first }) };
}
