import { createHash } from 'node:crypto';
import { invalid, Refused } from '@offizin/contracts/errors';
import { ORDER_STATUSES } from '@offizin/contracts/orders';
import type { ShopSettings, WorkflowResponse } from '@offizin/contracts/settings';
import { MALFORMED_TAGS, matchesStrongly, readEntityTags } from '@offizin/operations/entity-tags';

/** Settings have their content as version: who knows it knows the settings. */

export function workflowVersion({ mode, transitions }: Omit<WorkflowResponse, 'version'>): string {
  // The database does not keep the order of keys.
  return versionOf([mode, ...ORDER_STATUSES.map((status) => transitions[status])]);
}

export function shopVersion({ name, domain, is_active }: Omit<ShopSettings, 'version'>): string {
  return versionOf([name, domain, is_active]);
}

function versionOf(content: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
}

export function tagOf({ version }: { version: string }): string {
  return `"${version}"`;
}

/** Without the header everything may be changed. Throws `Refused` (invalid_request, precondition_failed). */
export function requireVersion(ifMatch: string | undefined, present: { version: string }): void {
  if (ifMatch === undefined) return;
  const tags = readEntityTags(ifMatch);
  if (!tags) throw invalid([{ field: 'If-Match', message: MALFORMED_TAGS }]);
  if (matchesStrongly(tags, tagOf(present))) return;
  throw new Refused(
    'precondition_failed',
    'The settings have changed since: read them again and repeat with their new ETag.',
  );
}
