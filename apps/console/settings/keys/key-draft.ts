import type { Scope } from '@offizin/contracts/people/scopes';
import type { CreateApiKeyBody } from '@offizin/contracts/people/directory';

/** In days; '' is without an end. */
export const LIFETIMES = ['30', '90', '365', ''] as const;
const DAY_MS = 86_400_000;

/** The fields as typed. */
export interface KeyDraft {
  name: string;
  kind: 'org' | 'int';
  scopes: readonly Scope[];
  /** '' for all. */
  shopId: string;
  days: (typeof LIFETIMES)[number];
}

export const EMPTY_DRAFT: KeyDraft = { name: '', kind: 'org', scopes: [], shopId: '', days: '365' };

/** A key without rights is of no use. */
export function isComplete({ name, kind, scopes }: KeyDraft): boolean {
  return name.trim() !== '' && (kind === 'int' || scopes.length > 0);
}

export function bodyOf({ name, kind, scopes, shopId, days }: KeyDraft, nowMs: number): CreateApiKeyBody {
  return {
    name: name.trim(),
    kind,
    ...(kind === 'org' ? { scopes: [...scopes] } : { shop_id: shopId === '' ? null : shopId }),
    expires_at: days === '' ? null : new Date(nowMs + Number(days) * DAY_MS).toISOString(),
  };
}
