import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  MutationCache,
  notifyManager,
  QueryCache,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query';
import { ApiError } from '../calls/api';
import { sessionQuery } from './session.calls';

const MAX_RETRIES = 2;

// A change is drawn before the next key press: `a` after the last mark must not find it open.
notifyManager.setScheduler(queueMicrotask);

/** One cache of the server's answers. A refusal is never asked again; an unreachable server is. */
export function makeQueries(): QueryClient {
  // A 401 asks who is signed in; an answer without a session locks the screen (session.calls.ts).
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.status === 401)
      void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  const queries = new Queries({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        networkMode: 'always',
        retry: (failures, error) => failures < MAX_RETRIES && isWorthAgain(error),
      },
      // A request may hold a password, and its answer a secret.
      mutations: { networkMode: 'always', gcTime: 0 },
    },
  });
  return queries;
}

/**
 * The library asks again only where it has an answer already, or nothing is under way. An answer that is under way may
 * be older than the change, and would count as fresh: it is invalidated when it has come.
 */
class Queries extends QueryClient {
  override invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    for (const query of this.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' }))
      if (query.state.data === undefined || !query.isActive()) {
        const again = () => void super.invalidateQueries({ queryKey: query.queryKey, exact: true });
        query.promise?.then(again, again);
      }
    return super.invalidateQueries(filters, options);
  }
}

function isWorthAgain(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 502);
}
