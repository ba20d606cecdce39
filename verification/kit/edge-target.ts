import type { TestOrganization } from './organization';

export const EDGES = ['gateway', 'connector-edge'] as const;
export type Edge = (typeof EDGES)[number];

/** Where a call arrives, with everything that a valid POST has but its body. */
export interface Target {
  url: string;
  path: string;
  headers: Record<string, string>;
}

/** At the gateway `path` is below the organization; the connector takes external orders. */
export function targetAt(edge: Edge, organization: TestOrganization, path = '/orders'): Target {
  const { orgId, token, urls, shops, integrationKey } = organization;
  return edge === 'gateway'
    ? {
        url: urls.baseUrl,
        path: `/api/v2/public/orgs/${orgId}${path}`,
        headers: { host: 'localhost', authorization: `Bearer ${token}` },
      }
    : {
        url: urls.connectorUrl,
        path: '/api/v1/external-order',
        headers: { host: shops[0].domain, apikey: integrationKey.text },
      };
}

export function headerLines(headers: Record<string, string>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}
