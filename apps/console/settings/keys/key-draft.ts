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
  readsAssortment: boolean;
  days: (typeof LIFETIMES)[number];
}

export const EMPTY_DRAFT: KeyDraft = {
  name: '',
  kind: 'org',
  scopes: [],
  shopId: '',
  readsAssortment: true,
  days: '365',
};

/** A key without rights is of no use. */
export function isComplete({ name, kind, scopes }: KeyDraft): boolean {
  return name.trim() !== '' && (kind === 'int' || scopes.length > 0);
}

export function bodyOf(draft: KeyDraft, nowMs: number): CreateApiKeyBody {
  const { name, kind, scopes, shopId, readsAssortment, days } = draft;
  const ofPartner = { shop_id: shopId === '' ? null : shopId, reads_assortment: readsAssortment };
  return {
    name: name.trim(),
    kind,
    ...(kind === 'org' ? { scopes: [...scopes] } : ofPartner),
    expires_at: days === '' ? null : new Date(nowMs + Number(days) * DAY_MS).toISOString(),
  };
}
