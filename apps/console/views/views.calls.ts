import { queryOptions } from '@tanstack/react-query';
import type { View, ViewBody, ViewChanges, ViewScreen } from '@offizin/contracts/console/views';
import { call } from '../calls/api';

/** The calls of saved views. Nothing else in this folder speaks HTTP. */

const VIEWS = '/api/v2/public/orgs/{orgId}/views';
const FRESH_MS = 30_000;

export function viewsQuery(screen: ViewScreen) {
  return queryOptions({
    queryKey: ['views', screen],
    queryFn: async ({ signal }) => (await call('GET', VIEWS, { query: { screen }, signal })).data,
    staleTime: FRESH_MS,
  });
}

export function createView(body: ViewBody): Promise<View> {
  return call('POST', VIEWS, { body });
}

/** Changes the version that the person saw, and no other. */
export function changeView(view: View, body: ViewChanges): Promise<View> {
  return call('PUT', `${VIEWS}/{viewId}`, {
    path: { viewId: view.id },
    header: { 'If-Match': `"${view.version}"` },
    body,
  });
}

export function removeView(viewId: string): Promise<void> {
  return call('DELETE', `${VIEWS}/{viewId}`, { path: { viewId } });
}
