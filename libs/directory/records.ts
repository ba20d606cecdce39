import type { Scope } from '@offizin/contracts/scopes';
import type { ApiKeyKind } from './api-key';

/**
 * The directory as order-core projects it into the broker's bucket and as every process holds it: organizations,
 * shops with their domains, and key hashes. No secrets, no personal data.
 */
export const DIRECTORY_BUCKET = 'directory';

export interface OrganizationRecord {
  type: 'organization';
  org_id: string;
  name: string;
  is_active: boolean;
}

export interface ShopRecord {
  type: 'shop';
  shop_id: string;
  org_id: string;
  name: string;
  /** Lower case, without port. */
  domain: string;
  is_active: boolean;
}

export interface KeyRecord {
  type: 'key';
  key_id: string;
  org_id: string;
  /** Hex SHA-256 of the key. */
  hash: string;
  kind: ApiKeyKind;
  /** An integration key may be bound to one shop. */
  shop_id: string | null;
  scopes: Scope[];
  expires_at: string | null;
}

/**
 * Written last, when all others are there. A bucket without it (new after a wipe, and being filled) is not the directory
 * yet: whoever read it as such would refuse keys that are good.
 */
export interface CompleteRecord {
  type: 'complete';
}
export const COMPLETE_KEY = 'complete';

export type DirectoryRecord = OrganizationRecord | ShopRecord | KeyRecord | CompleteRecord;

/** Key of the record in the bucket. Revoked keys and deleted shops have none. */
export function bucketKey(record: DirectoryRecord): string {
  switch (record.type) {
    case 'organization':
      return `organization.${record.org_id}`;
    case 'shop':
      return `shop.${record.shop_id}`;
    case 'key':
      return `key.${record.key_id}`;
    case 'complete':
      return COMPLETE_KEY;
  }
}

export function encodeRecord(record: DirectoryRecord): Uint8Array {
  return Buffer.from(JSON.stringify(record));
}

export function decodeRecord(bytes: Uint8Array): DirectoryRecord {
  return JSON.parse(Buffer.from(bytes).toString()) as DirectoryRecord;
}
