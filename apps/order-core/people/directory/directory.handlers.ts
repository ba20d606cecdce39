import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import {
  type ApiKeyListResponse,
  createApiKey,
  type CreateApiKeyBody,
  createApiKeyFor,
  type CreatedApiKey,
  createOrganization,
  createShop,
  keysUsed,
  type KeysUsedResponse,
  listApiKeys,
  MAX_LIVE_KEYS,
  type OrganizationResponse,
  revokeApiKey,
  rotateApiKey,
  type ShopResponse,
} from '@offizin/contracts/people/directory';
import { invalid, notFound, Refused } from '@offizin/contracts/calls/errors';
import {
  type Answer,
  type Call,
  created,
  type KeyRun,
  noContent,
  ok,
} from '@offizin/contracts/calls/operation';
import { hashApiKey, newApiKey } from '@offizin/directory/api-key';
import { Database, isUniqueViolation } from '@offizin/pg/database';
import { databaseNowMs } from '@offizin/pg/database-clock';
import { isId, newId } from '@offizin/pg/ids';
import { storeAnswer } from '@offizin/idempotency/stored-answer';
import { appendAudit } from '../../audit/audit.store';
import {
  findRotatable,
  insertKey,
  listKeys,
  saveKeyUses,
  type NewKey,
  replaceKey,
  revokeKey,
  type RotatableKey,
} from './keys.store';
import {
  insertOrganization,
  insertShop,
  listOrganizationsAfter,
  lockOrganization,
  requireShop,
  TOO_MANY_SHOPS,
} from './organizations.store';
import { assertConfirmed, liveTransaction } from '../../callers/live-caller.store';
import { operatorsDomain } from './domain';
import { DirectoryProjection } from './projection';
import { listOrganizations, type OrganizationsResponse } from '@offizin/contracts/people/organizations';
import type { Scope } from '@offizin/contracts/people/scopes';

@Controller()
export class DirectoryHandlers {
  constructor(
    private readonly database: Database,
    private readonly projection: DirectoryProjection,
  ) {}

  @Handles(createOrganization)
  async createOrganization({
    caller,
    body,
  }: Call<typeof createOrganization>): Promise<Answer<OrganizationResponse>> {
    const orgId = newId();
    await this.database.transaction(async (tx) => {
      await insertOrganization(tx, orgId, body.name);
      await appendAudit(tx, { ...caller, orgId }, 'organization.create', `organization:${orgId}`);
    });
    await this.projection.project(`organization.${orgId}`);
    return created({ org_id: orgId, name: body.name });
  }

  @Handles(createShop)
  async createShop({ caller, body }: Call<typeof createShop>): Promise<Answer<ShopResponse>> {
    const { name, is_test: isTest = false } = body;
    const shop = { id: newId(), name, domain: operatorsDomain(body.domain), isTest };
    try {
      await this.database.transaction(async (tx) => {
        await this.lockOrganization(tx, body.org_id);
        if (!(await insertShop(tx, body.org_id, shop))) throw new Refused('conflict', TOO_MANY_SHOPS);
        await appendAudit(tx, { ...caller, orgId: body.org_id }, 'shop.create', `shop:${shop.id}`);
      });
    } catch (error) {
      if (isUniqueViolation(error, 'shops_domain')) {
        throw new Refused('conflict', `The domain ${shop.domain} already belongs to a shop.`);
      }
      throw error;
    }
    await this.projection.project(`shop.${shop.id}`);
    return created({
      shop_id: shop.id,
      org_id: body.org_id,
      name,
      domain: shop.domain,
      is_active: true,
      is_test: isTest,
    });
  }

  @Handles(createApiKeyFor)
  async createKeyFor({ caller, body }: Call<typeof createApiKeyFor>): Promise<Answer<CreatedApiKey>> {
    return this.makeKey(caller, body.org_id, body);
  }

  @Handles(createApiKey)
  async createKey({ caller, body, keyRun }: Call<typeof createApiKey>): Promise<Answer<CreatedApiKey>> {
    if (typeof body.expires_at === 'string' && Date.parse(body.expires_at) <= databaseNowMs()) {
      throw invalid([{ field: 'expires_at', message: 'must be in the future' }]);
    }
    return this.makeKey(caller, caller.orgId, body, keyRun);
  }

  @Handles(listApiKeys)
  async listKeys({ caller, query }: Call<typeof listApiKeys>): Promise<Answer<ApiKeyListResponse>> {
    return ok(await listKeys(this.database, caller.orgId, query));
  }

  @Handles(revokeApiKey)
  async revokeKey({ caller, params }: Call<typeof revokeApiKey>): Promise<Answer<never>> {
    const { keyId } = params;
    await liveTransaction(this.database, caller, async (tx) => {
      // Without a confirmation: a stolen key must end immediately.
      if (!isId(keyId) || !(await revokeKey(tx, caller.orgId, keyId))) throw notFound('API key');
      await appendAudit(tx, caller, 'api-key.revoke', `api-key:${keyId}`);
    });
    await this.projection.project(`key.${keyId}`);
    return noContent();
  }

  @Handles(rotateApiKey)
  async rotateKey({
    caller,
    params,
    body,
    keyRun,
  }: Call<typeof rotateApiKey>): Promise<Answer<CreatedApiKey>> {
    const { orgId } = caller;
    const { keyId } = params;
    const { answer, newKeyId } = await liveTransaction(this.database, caller, async (tx) => {
      await assertConfirmed(tx, caller);
      await this.lockOrganization(tx, orgId);
      const old = isId(keyId) ? await findRotatable(tx, orgId, keyId) : null;
      if (!old) throw notFound('API key');
      requireGrantable(caller, old.key.scopes);
      const successor = successorOf(old, databaseNowMs());
      const row = await insertKey(tx, orgId, successor);
      if (!row) throw tooManyKeys();
      const by = { newKeyId: successor.id, overlapSeconds: body.overlap_seconds };
      await replaceKey(tx, orgId, keyId, by);
      await appendAudit(tx, caller, 'api-key.rotate', `api-key:${keyId}`);
      const stored = await storeAnswer(tx, keyRun, created({ ...row, api_key: successor.apiKey }));
      return { answer: stored, newKeyId: successor.id };
    });
    await this.projection.project(`key.${keyId}`, `key.${newKeyId}`);
    return answer;
  }

  /** Not audited: it stores what the edges observed, not an action of a person. */
  @Handles(keysUsed)
  async noteUses({ body }: Call<typeof keysUsed>): Promise<Answer<KeysUsedResponse>> {
    const uses = body.uses.filter(({ key_id }) => isId(key_id));
    return ok({ updated: await saveKeyUses(this.database, uses) });
  }

  private async makeKey(
    caller: Caller,
    orgId: string,
    body: CreateApiKeyBody,
    keyRun?: KeyRun,
  ): Promise<Answer<CreatedApiKey>> {
    const shopId = body.shop_id ?? null;
    checkKeyKind(body, shopId);
    requireGrantable(caller, body.scopes ?? []);
    const apiKey = newApiKey(body.kind);
    const key = {
      id: newId(),
      name: body.name,
      kind: body.kind,
      hash: hashApiKey(apiKey),
      scopes: [...new Set(body.scopes)],
      shopId,
      readsAssortment: body.kind === 'int' && (body.reads_assortment ?? true),
      expiresAt: body.expires_at ?? null,
    };
    const answer = await liveTransaction(this.database, caller, async (tx) => {
      await assertConfirmed(tx, caller);
      await this.lockOrganization(tx, orgId);
      await requireShop(tx, orgId, shopId);
      const made = await insertKey(tx, orgId, key);
      if (!made) throw tooManyKeys();
      await appendAudit(tx, { ...caller, orgId }, 'api-key.create', `api-key:${key.id}`);
      return storeAnswer(tx, keyRun, created({ ...made, api_key: apiKey }));
    });
    await this.projection.project(`key.${key.id}`);
    return answer;
  }

  private async lockOrganization(tx: Parameters<typeof lockOrganization>[0], orgId: string): Promise<void> {
    if (!isId(orgId) || !(await lockOrganization(tx, orgId))) {
      throw new Refused('not_found', 'There is no such organization.');
    }
  }
}

function tooManyKeys(): Refused {
  return new Refused('conflict', `An organization has at most ${MAX_LIVE_KEYS} live keys: revoke one first.`);
}

function checkKeyKind(body: CreateApiKeyBody, shopId: string | null): void {
  if (body.kind === 'int' && body.scopes?.length) {
    throw invalid([{ field: 'scopes', message: 'must be empty for a connector key' }]);
  }
  if (body.kind === 'org' && shopId !== null) {
    throw invalid([{ field: 'shop_id', message: 'only a connector key (kind int) is bound to a shop' }]);
  }
  if (body.kind === 'org' && body.reads_assortment === true) {
    const message = 'only a connector key (kind int) lists products at the connector';
    throw invalid([{ field: 'reads_assortment', message }]);
  }
}

/** The organizations of the platform, for the operator. */
@Controller()
export class OrganizationsHandlers {
  constructor(private readonly database: Database) {}

  @Handles(listOrganizations)
  async list({ body }: Call<typeof listOrganizations>): Promise<Answer<OrganizationsResponse>> {
    const { org_id: id, after } = body;
    if (after !== undefined && !isId(after)) throw invalid([{ field: 'after', message: 'must be an id' }]);
    if (id !== undefined && !isId(id)) return ok({ data: [], next: null });
    return ok(await listOrganizationsAfter(this.database, body));
  }
}

/**
 * A key or a person may grant only their own scopes: otherwise settings.write alone would imply every scope. A
 * connector key has no scopes, and the operator is unrestricted. Throws `Refused` (insufficient_scope).
 */
function requireGrantable(caller: Caller, scopes: readonly Scope[]): void {
  if (caller.kind !== 'key' && caller.kind !== 'staff') return;
  const missing = scopes.filter((scope) => !caller.scopes.includes(scope));
  if (missing.length === 0) return;
  const lacks = caller.kind === 'staff' ? 'Your role' : 'The token';
  const message = `${lacks} lacks ${missing.join(', ')}: only scopes that the caller has can be granted.`;
  throw new Refused('insufficient_scope', message);
}

/**
 * The successor of a key: same name, kind, scopes, shop and lifetime. Only a live key without successor can be
 * rotated: a repeated rotation would leave a live key whose text no caller has.
 */
function successorOf({ key, isLive, lifetimeMs }: RotatableKey, nowMs: number): NewKey & { apiKey: string } {
  if (key.replaced_by !== null) {
    throw new Refused('conflict', `The API key was rotated already: its successor is ${key.replaced_by}.`);
  }
  if (!isLive) {
    throw new Refused('conflict', 'The API key is revoked or has expired: create a new one.');
  }
  const apiKey = newApiKey(key.kind);
  return {
    id: newId(),
    name: key.name,
    kind: key.kind,
    hash: hashApiKey(apiKey),
    scopes: key.scopes,
    shopId: key.shop_id,
    readsAssortment: key.reads_assortment,
    expiresAt: lifetimeMs === null ? null : new Date(nowMs + lifetimeMs).toISOString(),
    replaces: key.id,
    apiKey,
  };
}
