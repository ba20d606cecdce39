import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../calls/api';
import { sessionQuery } from './session.calls';

const MAX_RETRIES = 2;

/** One cache of the server's answers. A refusal is never asked again; an unreachable server is. */
export function makeQueries(): QueryClient {
  // A 401 asks who is signed in; an answer without a session locks the screen (session.calls.ts).
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.status === 401)
      void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  const queries = new QueryClient({
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

function isWorthAgain(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 502);
}
