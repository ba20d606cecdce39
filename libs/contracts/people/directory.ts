import { Flag, Int, Nested, OneOf, QueryFlag, Text, Timestamp } from '../calls/fields';
import { internalOperation, operation } from '../calls/operation';
import { CursorOnlyPagination, CursorOnlyQuery, MAX_PAGE_SIZE } from '../calls/paging';
import { ALL_SCOPES, type Scope } from './scopes';
import { Described } from '../calls/schema';

/**
 * Organizations, shops and API keys: the operator's side (internal operations) and the organization's own settings.
 */

export const API_KEY_KINDS = ['org', 'int'] as const;

export class CreateOrganizationBody {
  @Text({ minLength: 1 }) name!: string;
}

export class OrganizationResponse {
  @Text({ format: 'uuid' }) org_id!: string;
  @Text() name!: string;
}

export class CreateShopBody {
  @Text({ minLength: 1 }) org_id!: string;
  @Text({ minLength: 1 }) name!: string;
  @Text({ minLength: 1, maxLength: 253, description: 'Host name the connector serves the shop on' })
  domain!: string;
  @Flag({ optional: true, description: 'A shop for tests, for ever; default false' }) is_test?: boolean;
}

export class ShopResponse {
  @Text({ format: 'uuid' }) shop_id!: string;
  @Text({ format: 'uuid' }) org_id!: string;
  @Text() name!: string;
  @Text() domain!: string;
  @Flag() is_active!: boolean;
  @Flag() is_test!: boolean;
}

/** Limit of live keys per organization. See docs/contract.md#sizes */
export const MAX_LIVE_KEYS = 50;

@Described('A new API key')
export class CreateApiKeyBody {
  @Text({ minLength: 1, description: 'Purpose of the key, for people' }) name!: string;
  @OneOf(API_KEY_KINDS, { description: 'org: exchanged for tokens; int: for the connector' }) kind!:
    'org' | 'int';
  @OneOf(ALL_SCOPES, {
    many: true,
    optional: true,
    description:
      'Kind org only; none when omitted. Only scopes of your own token: else 403 insufficient_scope',
  })
  scopes?: Scope[];
  @Text({ optional: true, nullable: true, description: 'Kind int only: the one shop it is bound to' })
  shop_id?: string | null;
  @Flag({
    optional: true,
    description: 'Kind int only: may list the products of its shops; true when left out',
  })
  reads_assortment?: boolean;
  @Timestamp({
    optional: true,
    nullable: true,
    description: 'When the key ends by itself, ISO 8601 with an offset; null or left out: never',
  })
  expires_at?: string | null;
}

export class CreateApiKeyForBody extends CreateApiKeyBody {
  @Text({ minLength: 1 }) org_id!: string;
}

@Described('An API key, without the key itself')
export class ApiKeyRow {
  @Text({ format: 'uuid', description: 'Public id of the key' }) id!: string;
  @Text({ description: 'Purpose of the key, for people' }) name!: string;
  @OneOf(API_KEY_KINDS, { description: 'org: exchanged for tokens; int: for the connector' }) kind!:
    'org' | 'int';
  @OneOf(ALL_SCOPES, {
    many: true,
    description: 'Scopes that tokens of the key may have; empty for kind int',
  })
  scopes!: Scope[];
  @Text({
    nullable: true,
    description: 'Kind int: the one shop it is bound to; null for every shop, and for kind org',
  })
  shop_id!: string | null;
  @Flag({ description: 'Kind int: may list the products of its shops; false for kind org' })
  reads_assortment!: boolean;
  @Timestamp() created_at!: string;
  @Timestamp({ nullable: true, description: 'When the key ends by itself, in UTC; null when never' })
  expires_at!: string | null;
  @Timestamp({ nullable: true, description: 'When the key was revoked, in UTC; null where it was not' })
  revoked_at!: string | null;
  @Timestamp({ nullable: true, description: 'Last use, accurate to about a minute; null when never' })
  last_used_at!: string | null;
  @Text({ nullable: true, description: 'The key that replaced this one by rotation' })
  replaced_by!: string | null;
}

@Described('An API key with the key itself, which is shown this once')
export class CreatedApiKey extends ApiKeyRow {
  @Text({
    shownOnce: true,
    description: 'The key itself, shown once; null in a repeat under an Idempotency-Key',
  })
  api_key!: string;
}

/** How long a rotated key stays valid after its successor was created. */
const DEFAULT_OVERLAP_SECONDS = 24 * 3600;
const MAX_OVERLAP_SECONDS = 30 * 24 * 3600;

@Described('How long the old key stays valid')
export class RotateApiKeyBody {
  @Int({
    optional: true,
    maximum: MAX_OVERLAP_SECONDS,
    description: 'Seconds for which the old key stays valid; 0 ends it and its tokens immediately',
  })
  overlap_seconds: number = DEFAULT_OVERLAP_SECONDS;
}

export class KeyUse {
  @Text({ format: 'uuid' }) key_id!: string;
  @Timestamp() at!: string;
}

export class KeysUsedBody {
  @Nested(() => KeyUse, { list: { maxItems: 1_000 } }) uses!: KeyUse[];
}

export class KeysUsedResponse {
  @Int({ description: 'Keys whose last_used_at was updated' }) updated!: number;
}

/** How long a revoked or expired key stays in the list. See docs/contract.md#sizes */
export const ENDED_KEY_DAYS = 90;

export class ApiKeyListQuery extends CursorOnlyQuery {
  @QueryFlag({ description: `Also keys that were revoked or expired more than ${ENDED_KEY_DAYS} days ago` })
  include_revoked: boolean = false;
}

@Described('A page of API keys, oldest first')
export class ApiKeyListResponse {
  @Nested(() => ApiKeyRow, { list: { maxItems: MAX_PAGE_SIZE } }) data!: ApiKeyRow[];
  @Nested(() => CursorOnlyPagination) pagination!: CursorOnlyPagination;
}

export const createOrganization = internalOperation({
  name: 'directory.create-organization',
  summary: 'Create an organization',
  body: CreateOrganizationBody,
  reply: OrganizationResponse,
});

export const createShop = internalOperation({
  name: 'directory.create-shop',
  summary: 'Create a shop of an organization',
  body: CreateShopBody,
  reply: ShopResponse,
});

export const createApiKeyFor = internalOperation({
  name: 'directory.create-key',
  summary: 'Create an API key of an organization',
  body: CreateApiKeyForBody,
  reply: CreatedApiKey,
});

export const keysUsed = internalOperation({
  name: 'directory.keys-used',
  summary: 'Report uses of API keys',
  body: KeysUsedBody,
  reply: KeysUsedResponse,
});

const PATH = '/api/v2/public/orgs/{orgId}/api-keys';

export const listApiKeys = operation({
  name: 'api-keys.list',
  summary: 'List API keys, oldest first',
  access: 'settings.read',
  path: PATH,
  query: ApiKeyListQuery,
  reply: ApiKeyListResponse,
});

export const createApiKey = operation({
  name: 'api-keys.create',
  summary: `Create an API key; it is shown this once. At most ${MAX_LIVE_KEYS} of an organization are live (409 conflict)`,
  refuses: ['not_found', 'conflict'],
  access: 'settings.write',
  method: 'POST',
  path: PATH,
  body: CreateApiKeyBody,
  reply: CreatedApiKey,
  statuses: [201],
});

export const revokeApiKey = operation({
  name: 'api-keys.revoke',
  summary: 'Revoke an API key and all its tokens',
  access: 'settings.write',
  method: 'DELETE',
  path: `${PATH}/{keyId}`,
  statuses: [204],
});

export const rotateApiKey = operation({
  name: 'api-keys.rotate',
  summary:
    'Replace an API key by a new one of the same rights, shown this once; the old one runs out. Your token needs all its scopes (403 insufficient_scope)',
  refuses: ['conflict'],
  access: 'settings.write',
  method: 'POST',
  path: `${PATH}/{keyId}/rotate`,
  body: RotateApiKeyBody,
  reply: CreatedApiKey,
  statuses: [201],
});
