import { infiniteQueryOptions } from '@tanstack/react-query';
import type { AuditEntry, AuditVerifyResponse } from '@offizin/contracts/reports/audit';
import { ApiError, call, callFile } from '../calls/api';
import type { AuditFilters } from './audit-search';

/** The calls of the audit screen. Nothing else in this folder speaks HTTP. */

const ORG = '/api/v2/public/orgs/{orgId}';
const LOG = `${ORG}/audit-log` as const;
const PAGE_ROWS = 100;
/** Of one question for names. */
const MAX_NAMES = 50;
const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** An entry with what its list needs, and the names of who and what it is about, by their ids. */
export interface Entry extends AuditEntry {
  id: string;
}

export function auditList(filters: AuditFilters) {
  return infiniteQueryOptions({
    queryKey: ['audit', 'list', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: cursor, signal }) => {
      const query = { ...filters, limit: PAGE_ROWS, cursor };
      const { data, pagination } = await call('GET', LOG, { query, signal });
      return {
        entries: data.map((entry): Entry => ({ ...entry, id: String(entry.position) })),
        names: await namesOf(data, signal),
        pagination,
      };
    },
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  });
}

/** Rejects with `ApiError`, also when the transfer breaks off. */
export function auditFile(query: AuditFilters, type: string): Promise<Blob> {
  return callFile(LOG, type, { query });
}

/** A name that cannot be had is not worth the list. */
async function namesOf(entries: readonly AuditEntry[], signal: AbortSignal): Promise<Map<string, string>> {
  const ids = [
    ...new Set(entries.flatMap(({ actor, object }) => [actor, object].flatMap((text) => idIn(text) ?? []))),
  ];
  const parts = Array.from({ length: Math.ceil(ids.length / MAX_NAMES) }, (_, part) =>
    ids.slice(part * MAX_NAMES, (part + 1) * MAX_NAMES).join(','),
  );
  const hasWebhooks = entries.some(({ object }) => object.startsWith('webhook:'));
  try {
    const [webhooks, ...answers] = await Promise.all([
      hasWebhooks ? call('GET', `${ORG}/webhooks`, { signal }) : { data: [] },
      ...parts.map((part) => call('GET', `${ORG}/names`, { query: { ids: part }, signal })),
    ]);
    return new Map([
      ...webhooks.data.map(({ id, url }): [string, string] => [id, new URL(url).host]),
      ...answers.flatMap(({ data }) => data.map(({ id, name }): [string, string] => [id, name])),
    ]);
  } catch (error) {
    if (error instanceof ApiError) return new Map();
    throw error;
  }
}

/** The id in an actor or an object. */
export function idIn(text: string): string | undefined {
  return ID.exec(text)?.[0];
}

export type Verification = AuditVerifyResponse;

/** From the beginning to the end, however many calls that takes. */
export async function verifyLog(): Promise<Verification> {
  let found = await verifyFrom(0);
  while (!found.complete && found.status === 'ok') {
    const { checked } = found;
    const further = await verifyFrom(found.checked_to);
    found = { ...further, checked: checked + further.checked };
  }
  return found;
}

function verifyFrom(afterPosition: number): Promise<Verification> {
  return call('GET', `${LOG}/verify`, { query: { after_position: afterPosition } });
}
