import { Amount, CalendarDate, Int, Nested, OneOf } from '../calls/fields';
import { consoleOperation } from '../calls/operation';
import { REJECTION_REASONS, type RejectionReason } from '../requests/order-requests';
import { commonToReports, MAX_REPORT_DAYS, ReportPeriod, ReportQuery, REPORTS_PATH } from './reports';
import { Described } from '../calls/schema';

/**
 * Reports that only the console shows, over the same days as reports.ts and by the same rules.
 * - An order request counts on the day of its submission, by its status now.
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

export class ReportReason {
  @OneOf(REJECTION_REASONS) reason!: RejectionReason;
  @Int({ description: 'Order requests that were rejected for it' }) requests!: number;
}

@Described('Order requests that were submitted in the period and are rejected.')
export class ReportReview {
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
  summary: 'Why order requests were rejected',
  ...commonToReports(),
  path: `${REPORTS_PATH}/review`,
  query: ReportQuery,
  reply: ReportReviewResponse,
});
