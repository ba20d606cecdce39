import { UseInstead } from './fields';
import { consoleOperation } from './operation';
import { listReviews, ReviewFilters } from './review';

const FILTERS = 'tab, shop_id or flag: a CSV file has no pages';

export class ReviewExportQuery extends ReviewFilters {
  @UseInstead(FILTERS) limit?: never;
  @UseInstead(FILTERS) cursor?: never;
}

/** Answers the address of the list, for callers that accept CSV. */
export const exportReviews = consoleOperation({
  name: 'review.export',
  summary: 'All order requests of a list as CSV',
  refuses: ['not_found'],
  service: 'order-core',
  via: 'http',
  access: 'order_requests.read',
  method: 'GET',
  path: listReviews.path,
  query: ReviewExportQuery,
  narrow: 'Name a shop, or a shorter list.',
  reply: 'text/csv',
});
