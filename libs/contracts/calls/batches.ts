import { ERROR_CODES, type ErrorCode } from './error-table';
import { Problem } from './errors';
import { Int, Nested, OneOf, Text } from './fields';

/** What all batches share: many members in one call, each with its own outcome. See docs/contract.md#batches */

export const MAX_BATCH_MEMBERS = 500;
/** Problems of one member in the answer, so that the answer of a whole batch fits a bus message. */
export const MAX_MEMBER_PROBLEMS = 3;
const MAX_MESSAGE_LENGTH = 500;

/** What became of a member, by its place in the batch. */
export abstract class BatchResult {
  @Int({ description: 'Place of the member in the batch, from 0' }) index!: number;
  @OneOf(ERROR_CODES, { optional: true, description: 'As in the error answer of the single call' })
  error?: ErrorCode;
  @Text({ optional: true, maxLength: MAX_MESSAGE_LENGTH, description: 'One sentence that says what to do' })
  message?: string;
  @Nested(() => Problem, {
    list: { maxItems: MAX_MEMBER_PROBLEMS },
    optional: true,
    description: 'The first problems of the member, where it has fields to name',
  })
  details?: Problem[];
}
