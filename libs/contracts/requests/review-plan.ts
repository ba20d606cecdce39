import { Nested, Text, Timestamp } from '../calls/fields';
import { consoleOperation } from '../calls/operation';
import { Described } from '../calls/schema';

/** Requests that are assigned or parked. */

export class ReviewPerson {
  @Text({ format: 'uuid' }) staff_id!: string;
  @Text() name!: string;
}

@Described('Who looks after a request, and until when it waits apart. Anybody may decide it nevertheless.')
export class ReviewPlan {
  @Nested(() => ReviewPerson, { nullable: true }) assigned_to!: ReviewPerson | null;
  @Timestamp({ nullable: true, description: 'Then it is among the open ones again, with a flag' })
  parked_until!: string | null;
}

export class ReviewPlanBody {
  @Text({ optional: true, nullable: true, format: 'uuid', description: 'Null: nobody' })
  assigned_to?: string | null;
  @Text({
    optional: true,
    nullable: true,
    format: 'uuid',
    description: 'Who it was assigned to on the screen; 409 when it is another person by now',
  })
  assigned_before?: string | null;
  @Timestamp({ optional: true, nullable: true, description: 'At most 7 days ahead; null: not parked' })
  parked_until?: string | null;
  @Timestamp({ optional: true, nullable: true, description: 'As assigned_before, of parked_until' })
  parked_before?: string | null;
}

export class ReviewPeople {
  @Nested(() => ReviewPerson, { list: { maxItems: 200 }, description: 'Who may decide, by name' })
  data!: ReviewPerson[];
}

export const listReviewPeople = consoleOperation({
  name: 'review.people',
  summary: 'List who may decide order requests',
  access: 'order_requests.review',
  path: '/api/v2/public/orgs/{orgId}/review/people',
  reply: ReviewPeople,
});
