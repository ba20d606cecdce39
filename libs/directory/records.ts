import { isRole, type Role } from '@offizin/contracts/people/roles';
import type { Scope } from '@offizin/contracts/people/scopes';
import type { ApiKeyKind } from './api-key';

/** Records in the broker's bucket and in memory. No secrets, no personal data. */
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
  domain: string;
  is_active: boolean;
  /** An older order-core writes none. */
  is_test?: boolean;
}

export interface KeyRecord {
  type: 'key';
  key_id: string;
  org_id: string;
  hash: string;
  kind: ApiKeyKind;
  /** An integration key may be bound to one shop. */
  shop_id: string | null;
  scopes: Scope[];
  expires_at: string | null;
}

/** A live session of a person in the console. The record disappears when it ends. */
export interface SessionRecord {
  type: 'session';
  session_id: string;
  staff_id: string;
  org_id: string;
  /** SHA-256 of the token, as for keys. */
  hash: string;
  role: Role;
  ends_at: string;
  /** The last confirmation counts until then. An older order-core writes none. */
  confirmed_until?: string;
}

/** Written last. A bucket without it is still being filled; using it would refuse valid keys. */
export interface CompleteRecord {
  type: 'complete';
}
export const COMPLETE_KEY = 'complete';

export type DirectoryRecord = OrganizationRecord | ShopRecord | KeyRecord | SessionRecord | CompleteRecord;

/** Revoked keys, ended sessions and deleted shops have no record. */
export function bucketKey(record: DirectoryRecord): string {
  switch (record.type) {
    case 'organization':
      return `organization.${record.org_id}`;
    case 'shop':
      return `shop.${record.shop_id}`;
    case 'key':
      return `key.${record.key_id}`;
    case 'session':
      return `session.${record.session_id}`;
    case 'complete':
      return COMPLETE_KEY;
  }
}

export function encodeRecord(record: DirectoryRecord): Uint8Array {
  return Buffer.from(JSON.stringify(record));
}

/**
 * Checks every field that the code relies on: a key with an unreadable expiry must not live forever. A record under
 * another bucket key is refused.
 */
export function decodeRecord(key: string, bytes: Uint8Array): DirectoryRecord | { unreadable: string } {
  let record: unknown;
  try {
    record = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  } catch {
    return { unreadable: 'not JSON' };
  }
  if (!isRecord(record)) return { unreadable: 'not a record of the directory' };
  return bucketKey(record) === key ? record : { unreadable: 'the record of another key' };
}

/**
 * NATS does not check permissions for reply subjects, so any user can make the broker write its answer onto a record
 * (decision 0031).
 */
export function isBrokerAnswer(bytes: Uint8Array): boolean {
  if (bytes.length === 0) return true;
  let answer: unknown;
  try {
    answer = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  } catch {
    return false;
  }
  if (typeof answer !== 'object' || answer === null) return false;
  if ('type' in answer) return typeof answer.type === 'string' && answer.type.startsWith('io.nats.');
  return 'stream' in answer || 'error' in answer;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string' && value !== '';
const isTextOrNull: Check = (value) => value === null || isText(value);
const isBoolean: Check = (value) => typeof value === 'boolean';
const isName: Check = (value) => typeof value === 'string';
const isTimeOrNull: Check = (value) =>
  value === null || (typeof value === 'string' && !Number.isNaN(Date.parse(value)));
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isKnownRole: Check = (value) => typeof value === 'string' && isRole(value);
const isTime: Check = (value) => value !== null && isTimeOrNull(value);
const isHash: Check = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

const CHECKS: { [Type in DirectoryRecord['type']]: Record<string, Check> } = {
  organization: { org_id: isText, name: isName, is_active: isBoolean },
  shop: {
    shop_id: isText,
    org_id: isText,
    name: isName,
    domain: isText,
    is_active: isBoolean,
    is_test: (value) => value === undefined || isBoolean(value),
  },
  key: {
    key_id: isText,
    org_id: isText,
    hash: isHash,
    kind: isText,
    shop_id: isTextOrNull,
    scopes: isTexts,
    expires_at: isTimeOrNull,
  },
  session: {
    session_id: isText,
    staff_id: isText,
    org_id: isText,
    hash: isHash,
    role: isKnownRole,
    ends_at: isTime,
    confirmed_until: (value) => value === undefined || isTime(value),
  },
  complete: {},
};

function isRecord(value: unknown): value is DirectoryRecord {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  const { type } = value;
  if (typeof type !== 'string' || !Object.hasOwn(CHECKS, type)) return false;
  const fields: Record<string, unknown> = { ...value };
  const checks = CHECKS[type as DirectoryRecord['type']];
  return Object.entries(checks).every(([field, check]) => check(fields[field]));
}
