import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound, Refused, requireAsRead } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, noContent, ok } from '@offizin/contracts/calls/operation';
import {
  getSignOnSettings,
  removeSignOnSettings,
  setSignOnSettings,
  type SignOnSettings,
} from '@offizin/contracts/people/sign-on';
import { Database, type Sql } from '@offizin/pg/database';
import { appendAudit, auditActorOf } from '../../audit/audit.store';
import { DataKeys } from '../../crypto/data-keys.store';
import { encrypt } from '../../crypto/encryption';
import { lockOrganization } from '../directory/organizations.store';
import { assertCallerIsLive, assertConfirmed } from '../../callers/live-caller.store';
import { ConsoleAddress } from '../staff/staff-links';
import { ProviderFailure, Providers } from './providers';
import * as store from './sign-on-settings.store';
import { dropSignOns } from '../staff/sign-ins.store';

/** The provider of an organization, set by its owners. A change needs a recent confirmation. */
@Controller()
export class SignOnSettingsHandlers {
  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
    private readonly providers: Providers,
    private readonly address: ConsoleAddress,
  ) {}

  @Handles(getSignOnSettings)
  async get({ caller }: Call<typeof getSignOnSettings>): Promise<Answer<SignOnSettings>> {
    return ok(await this.shown(this.database, caller.orgId));
  }

  @Handles(setSignOnSettings)
  async set({ caller, body }: Call<typeof setSignOnSettings>): Promise<Answer<SignOnSettings>> {
    const { orgId } = caller;
    const { issuer, client_id: clientId, client_secret: given, version } = body;
    // Before the provider is asked: a stolen session must not make this service call addresses.
    await this.require(this.database, caller);
    const before = await store.findProvider(this.database, orgId);
    if (given === undefined && before?.issuer !== issuer) throw needsSecret();
    await this.requireProvider(issuer);
    const secret =
      given === undefined ? null : encrypt(await this.dataKeys.keyOf(orgId), Buffer.from(given), orgId);
    const changedBy = auditActorOf(caller).actor;
    const saved = await this.database.transaction(async (tx) => {
      await this.begin(tx, caller);
      const read = await this.shown(tx, orgId);
      if (!(await store.saveProvider(tx, orgId, { version, issuer, clientId, secret, changedBy })))
        throw await changedMeanwhile(tx, orgId);
      requireAsRead(body, read, ['redirect_uri', 'sign_in_url', 'by', 'at']);
      await dropSignOns(tx, orgId);
      await appendAudit(tx, caller, 'sign-on.set', `organization:${orgId}`);
      return this.shown(tx, orgId);
    });
    return ok(saved);
  }

  @Handles(removeSignOnSettings)
  async remove({ caller }: Call<typeof removeSignOnSettings>): Promise<Answer<never>> {
    const { orgId } = caller;
    await this.database.transaction(async (tx) => {
      await this.begin(tx, caller);
      if (!(await store.removeProvider(tx, orgId))) return;
      await dropSignOns(tx, orgId);
      await appendAudit(tx, caller, 'sign-on.remove', `organization:${orgId}`);
    });
    return noContent();
  }

  /** Throws `Refused` (invalid_request) when the address does not answer as a provider. */
  private async requireProvider(issuer: string): Promise<void> {
    try {
      await this.providers.discover(issuer, true);
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      throw invalid([{ field: 'issuer', message: error.message }]);
    }
  }

  private async begin(tx: Sql, caller: Caller): Promise<void> {
    if (!(await lockOrganization(tx, caller.orgId))) throw notFound('organization');
    await this.require(tx, caller);
  }

  private async require(sql: Sql, caller: Caller): Promise<void> {
    await assertCallerIsLive(sql, caller);
    await assertConfirmed(sql, caller);
  }

  private async shown(sql: Sql, orgId: string): Promise<SignOnSettings> {
    const provider = await store.findProvider(sql, orgId);
    return {
      issuer: provider?.issuer ?? null,
      client_id: provider?.client_id ?? null,
      version: provider?.version ?? 0,
      redirect_uri: this.address.signOnAnswer(orgId),
      sign_in_url: this.address.signIn(orgId),
      by: provider?.by ?? null,
      at: provider?.at.toISOString() ?? null,
    };
  }
}

function needsSecret(): Refused {
  return invalid([{ field: 'client_secret', message: 'is required for a new issuer' }]);
}

async function changedMeanwhile(tx: Sql, orgId: string): Promise<Refused> {
  const who = (await store.findProvider(tx, orgId))?.by ?? 'somebody';
  return new Refused('conflict', `The settings were changed by ${who} meanwhile. Read them, then save.`);
}
