import { queryOptions } from '@tanstack/react-query';
import { call } from '../shell/api';
import type { Draft } from './workflow';

const WORKFLOW = '/api/v2/public/orgs/{orgId}/settings/workflow';

export interface StoredWorkflow extends Draft {
  version: string;
}

export const workflowQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['workflow', orgId],
    queryFn: ({ signal }): Promise<StoredWorkflow> => call('GET', WORKFLOW, { path: { orgId }, signal }),
  });

/** On the version that the person saw. The fixed ones take no transitions, so that a later change of the standard applies. */
export async function saveWorkflow(
  orgId: string,
  { mode, transitions }: Draft,
  version: string,
): Promise<StoredWorkflow> {
  const body = mode === 'custom' ? { mode, transitions: { ...transitions } } : { mode };
  const header = { 'If-Match': `"${version}"` };
  return call('PUT', WORKFLOW, { path: { orgId }, header, body });
}
