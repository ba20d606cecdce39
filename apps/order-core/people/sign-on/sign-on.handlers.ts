import { timingSafeEqual } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import {
  beginSignOnFor,
  type BegunSignOn,
  type FinishedSignOn,
  type FinishSignOnBody,
  finishSignOnFor,
  FIRST_PAGE,
  type SignOnRefusal,
} from '@offizin/contracts/people/sign-on';
import { Database, type Sql } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { errorFields, log } from '@offizin/runtime/log';
import { appendAudit } from '../../audit/audit.store';
import { DataKeys } from '../../crypto/data-keys.store';
import { decrypt } from '../../crypto/encryption';
import { DirectoryProjection } from '../directory/projection';
import { openSession, SessionLimits } from '../staff/open-sessions';
import { newToken } from '../staff/session-token';
import { findPersonByEmail, lockPerson, type Person } from '../staff/staff.store';
import { ConsoleAddress } from '../staff/staff-links';
import { type Claims, ownPage, proofsOf, verifiedEmailOf } from './sign-on';
import { type ProviderClient, ProviderFailure, ProviderRefused, Providers } from './providers';
import { findProvider, type StoredProvider } from './sign-on-settings.store';
import { beginSignOn, type BegunSignOnRow, takeSignOn } from '../staff/sign-ins.store';

/** A sign-on that ends without a session. The person is null where the answer names no person of the organization. */
class NoSignOn extends Error {
  constructor(
    readonly refusal: SignOnRefusal,
    readonly person: Person | null = null,
  ) {
    super(refusal);
  }
}

/**
 * Signing in at the organization's provider (decision 0049). The browser is bound by a token in its cookie; state,
 * nonce and verifier are made from it. The provider identifies the person, the role stays ours. No provider is asked in
 * a transaction.
 */
@Controller()
export class SignOnHandlers {
  constructor(
    private readonly database: Database,
    private readonly projection: DirectoryProjection,
    private readonly limits: SessionLimits,
    private readonly dataKeys: DataKeys,
    private readonly providers: Providers,
    private readonly address: ConsoleAddress,
  ) {}

  @Handles(beginSignOnFor)
  async begin({ caller, body }: Call<typeof beginSignOnFor>): Promise<Answer<BegunSignOn>> {
    const provider = await this.provider(body.org);
    // The same answer for an organization without a provider and an unknown one.
    if (!provider) return ok({ refusal: 'refused', url: null, token: null });
    const { org_id, issuer, client_id } = provider;
    const token = newToken();
    const redirectUri = this.address.signOnAnswer(org_id);
    try {
      const client = await this.clientOf(provider);
      const url = await this.providers.authorizationUrl(client, redirectUri, proofsOf(token));
      const begun = { org_id, issuer, client_id, return_to: ownPage(body.to) };
      await beginSignOn(this.database, token, begun);
      return ok({ refusal: null, url, token });
    } catch (error) {
      const refusal = refusalOf(error);
      await this.auditRefusal(caller, org_id, null);
      return ok({ refusal, url: null, token: null });
    }
  }

  @Handles(finishSignOnFor)
  async finish({ caller, body }: Call<typeof finishSignOnFor>): Promise<Answer<FinishedSignOn>> {
    const provider = await this.provider(body.org);
    if (!provider) return ok({ refusal: 'refused', to: FIRST_PAGE, cookie: null });
    // Used up by every answer, right or wrong.
    const begun = body.token === null ? null : await takeSignOn(this.database, body.token);
    try {
      const { sessionCookie, to, staffId } = await this.signOn(caller, provider, begun, body);
      // Not awaited: a gateway asks for a session that it does not know yet.
      void this.projection.project(`staff.${staffId}`);
      return ok({ refusal: null, to, cookie: sessionCookie });
    } catch (error) {
      const refusal = refusalOf(error);
      await this.auditRefusal(caller, provider.org_id, error instanceof NoSignOn ? error.person : null);
      return ok({ refusal, to: begun?.return_to ?? FIRST_PAGE, cookie: null });
    }
  }

  private async signOn(
    caller: Caller,
    provider: StoredProvider,
    begun: BegunSignOnRow | null,
    { token, code, state, iss, error }: FinishSignOnBody,
  ): Promise<{ sessionCookie: string; to: string; staffId: string }> {
    if (token === null || !begun || !isSameProvider(begun, provider)) throw new NoSignOn('too_old');
    const proofs = proofsOf(token);
    if (state === undefined || !isEqual(state, proofs.state)) throw new NoSignOn('too_old');
    const claims = await this.providers.claims(
      await this.clientOf(provider),
      this.address.signOnAnswer(provider.org_id),
      proofs,
      { code, state, iss, error },
    );
    const person = await this.personOf(claims, provider.org_id);
    return this.database.transaction(async (tx) => {
      // Meanwhile an owner may have changed or removed the provider, or the organization was switched off.
      const present = await findProvider(tx, provider.org_id);
      if (!present || !isSameProvider(begun, present)) throw new NoSignOn('too_old', person);
      const sessionCookie = await this.open(tx, caller, person);
      return { sessionCookie, to: begun.return_to, staffId: person.id };
    });
  }

  private async personOf(claims: Claims, orgId: string): Promise<Person> {
    const email = verifiedEmailOf(claims);
    const person = email === null ? null : await findPersonByEmail(this.database, orgId, email);
    if (!person) throw new NoSignOn('refused');
    return person;
  }

  private async open(tx: Sql, caller: Caller, { org_id, id }: Person): Promise<string> {
    const person = await lockPerson(tx, org_id, id);
    if (!person?.is_active) throw new NoSignOn('refused', person);
    // A session of the provider may be hours old: signing on confirms nothing.
    const made = { by: 'provider', isConfirmed: false } as const;
    const { headers } = await openSession(tx, caller, person, { limits: this.limits, made });
    return headers['set-cookie'] ?? '';
  }

  private async provider(orgId: string): Promise<StoredProvider | null> {
    return isId(orgId) ? findProvider(this.database, orgId) : null;
  }

  private async clientOf({
    org_id,
    issuer,
    client_id,
    client_secret,
  }: StoredProvider): Promise<ProviderClient> {
    const secret = decrypt(await this.dataKeys.keyOf(org_id), client_secret, org_id);
    return { issuer, client_id, client_secret: secret.toString('utf8') };
  }

  private async auditRefusal(caller: Caller, orgId: string, person: Person | null): Promise<void> {
    const object = person ? `staff:${person.id}` : `organization:${orgId}`;
    await appendAudit(this.database, { ...caller, orgId }, 'session.refuse-sign-on', object);
  }
}

/** The settings may have changed while the browser was at the provider, or the answer came to another organization. */
function isSameProvider(begun: BegunSignOnRow, { org_id, issuer, client_id }: StoredProvider): boolean {
  return begun.org_id === org_id && begun.issuer === issuer && begun.client_id === client_id;
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Throws what is neither of the provider nor of the person. */
function refusalOf(error: unknown): SignOnRefusal {
  if (error instanceof NoSignOn) return error.refusal;
  if (error instanceof ProviderRefused) return 'refused';
  if (!(error instanceof ProviderFailure)) throw error;
  log.warn(errorFields(error.cause ?? error), 'provider of a sign-on not available');
  return 'unavailable';
}
