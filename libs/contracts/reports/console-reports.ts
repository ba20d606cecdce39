import { Amount, CalendarDate, Int, Nested, OneOf } from '../calls/fields';
import { consoleOperation } from '../calls/operation';
import { REJECTION_REASONS, type RejectionReason } from '../requests/order-requests';
import { commonToReports, MAX_REPORT_DAYS, ReportPeriod, ReportQuery, REPORTS_PATH } from './reports';
import { Described } from '../calls/schema';

/**
 * Reports that only the console shows, over the same days as reports.ts and by the same rules.
 * - An order request counts on the day of its submission, by its status now.
 * - A decision is the approval or the rejection, not a question. The time until an answer belongs to the time to
 *   decision, because the customer waits for both. An expired or withdrawn request has no
 *   decision.
 * - Nothing is counted by person.
 */

export class ReportDay {
  @CalendarDate() day!: string;
  @Int({ description: 'Order requests that were submitted on this day' }) requests!: number;
  @Int({ description: 'Of these, approved until now' }) approved!: number;
  @Int({ description: 'Of these, rejected until now' }) rejected!: number;
  @Int({ description: 'Without cancelled orders' }) orders!: number;
  @Amount({ description: 'Without cancelled orders' }) revenue!: number;
  @Int({ description: 'Order requests of this day that their sender has withdrawn' }) cancelled!: number;
}

export class ReportDailyResponse {
  @Nested(() => ReportPeriod) period!: ReportPeriod;
  @Nested(() => ReportDay, {
    list: { maxItems: MAX_REPORT_DAYS },
    description: 'Every day of the period, oldest first',
  })
  data!: ReportDay[];
}

export const HOURS_OF_DAY = 24;
export const DAYS_OF_WEEK = 7;

@Described('Decided order requests by the hour of their submission in Germany.')
export class ReportHour {
  @Int({ maximum: HOURS_OF_DAY - 1, description: '0 is midnight to one' }) hour!: number;
  @Int() decided!: number;
  @Int({
    nullable: true,
    description: 'Seconds to decision within which half were decided; null without one',
  })
  median_s!: number | null;
}

export class ReportWeekday {
  @Int({ minimum: 1, maximum: DAYS_OF_WEEK, description: '1 is Monday' }) weekday!: number;
  @Nested(() => ReportHour, { list: { maxItems: HOURS_OF_DAY }, description: 'Every hour' })
  hours!: ReportHour[];
}

export class ReportReason {
  @OneOf(REJECTION_REASONS) reason!: RejectionReason;
  @Int({ description: 'Order requests that were rejected for it' }) requests!: number;
}

@Described('Order requests that were submitted in the period and are decided.')
export class ReportReview {
  @Int() decided!: number;
  @Int({
    nullable: true,
    description: 'Seconds from submission to decision within which half were decided; null without one',
  })
  median_s!: number | null;
  @Int({ nullable: true, description: 'Seconds within which 95 of 100 were decided; null without one' })
  p95_s!: number | null;
  @Nested(() => ReportWeekday, { list: { maxItems: DAYS_OF_WEEK }, description: 'Every weekday' })
  by_hour!: ReportWeekday[];
  @Nested(() => ReportReason, {
    list: { maxItems: REJECTION_REASONS.length },
    description: 'Only reasons that occur, the most frequent first',
  })
  reasons!: ReportReason[];
}

export class ReportReviewResponse {
  @Nested(() => ReportPeriod) period!: ReportPeriod;
  @Nested(() => ReportReview) data!: ReportReview;
}

export const reportDaily = consoleOperation({
  name: 'reports.daily',
  summary: 'Order requests, orders and revenue by day',
  ...commonToReports(),
  path: `${REPORTS_PATH}/daily`,
  query: ReportQuery,
  reply: ReportDailyResponse,
});

export const reportReview = consoleOperation({
  name: 'reports.review',
  summary: 'How long decisions took, and why requests were rejected',
  ...commonToReports(),
  path: `${REPORTS_PATH}/review`,
  query: ReportQuery,
  reply: ReportReviewResponse,
});
