import { queryOptions } from '@tanstack/react-query';
import type { View, ViewBody, ViewChanges, ViewScreen } from '@offizin/contracts/console/views';
import { call } from '../calls/api';

/** The calls of saved views. Nothing else in this folder speaks HTTP. */

const VIEWS = '/api/v2/public/orgs/{orgId}/views';
const FRESH_MS = 30_000;

export function viewsQuery(orgId: string, screen: ViewScreen) {
  return queryOptions({
    queryKey: ['views', orgId, screen],
    queryFn: async ({ signal }) =>
      (await call('GET', VIEWS, { path: { orgId }, query: { screen }, signal })).data,
    staleTime: FRESH_MS,
  });
}

export function createView(orgId: string, body: ViewBody): Promise<View> {
  return call('POST', VIEWS, { path: { orgId }, body });
}

/** Changes the version that the person saw, and no other. */
export function changeView(orgId: string, view: View, body: ViewChanges): Promise<View> {
  return call('PUT', `${VIEWS}/{viewId}`, {
    path: { orgId, viewId: view.id },
    header: { 'If-Match': `"${view.version}"` },
    body,
  });
}

export function removeView(orgId: string, viewId: string): Promise<void> {
  return call('DELETE', `${VIEWS}/{viewId}`, { path: { orgId, viewId } });
}
