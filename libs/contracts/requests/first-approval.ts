import { Nested, OneOf, Text, Timestamp } from '../calls/fields';
import { Described } from '../calls/schema';

/** Where two people approve a request (review-settings.ts), the first of the two approvals. */

export class FirstApproval {
  @Text({ format: 'uuid' }) staff_id!: string;
  @Text({ description: 'Name of the person' }) by!: string;
  @Timestamp() at!: string;
}

@Described('The first of two approvals: the request waits for another person.')
export class FirstApproveResponse {
  @Text({ format: 'uuid' }) id!: string;
  @OneOf(['pending']) status!: 'pending';
  @Nested(() => FirstApproval) first_approval!: FirstApproval;
}
