import { queryOptions } from '@tanstack/react-query';
import { call } from '../../calls/api';

const ORG = '/api/v2/public/orgs/{orgId}';

/** Steps count as done by what the pharmacy has, never by clicks. Asked again at each sight of the list. */
export const doneSteps = queryOptions({
  queryKey: ['first-steps'],
  queryFn: async ({ signal }) => {
    const [shops, stock, keys, staff] = await Promise.all([
      call('GET', `${ORG}/shops`, { signal }),
      call('GET', `${ORG}/stock`, { signal, query: { limit: 1 } }),
      call('GET', `${ORG}/api-keys`, { signal, query: { limit: 200 } }),
      call('GET', `${ORG}/staff`, { signal }),
    ]);
    return {
      shop: shops.data.length > 0,
      products: stock.data.length > 0,
      key: keys.data.some(({ revoked_at: revokedAt }) => revokedAt === null),
      team: staff.data.length > 1,
    };
  },
});
