import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import { Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, created, ok } from '@offizin/contracts/calls/operation';
import type { StaffListResponse, StaffRow } from '@offizin/contracts/people/staff';
import {
  type EndedSessionsResponse,
  inviteStaffFor,
  type InviteStaffBody,
  type InviteStaffResponse,
  listStaffOf,
  removeSecondFactorOf,
  signOutStaffOf,
  type StaffByEmailBody,
  switchOffStaff,
} from '@offizin/contracts/people/staff-operator';
import { Database, type Sql } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { appendAudit } from '../../audit/audit.store';
import { lockOrganization } from '../directory/organizations.store';
import { DirectoryProjection } from '../directory/projection';
import { dropLink, makeLink } from './links.store';
import { removeSecondFactors } from './second-factor';
import { endSessions } from './sessions.store';
import { ConsoleAddress, linkKindFor, requireLinkable } from './staff-links';
import { tooManyPeople } from './staff.handlers';
import * as store from './staff.store';

/** What the operator's command line does for an organization that cannot help itself. */
@Controller()
export class StaffOperatorHandlers {
  constructor(
    private readonly database: Database,
    private readonly projection: DirectoryProjection,
    private readonly address: ConsoleAddress,
  ) {}

  @Handles(inviteStaffFor)
  async invite({ caller, body }: Call<typeof inviteStaffFor>): Promise<Answer<InviteStaffResponse>> {
    const orgId = body.org_id;
    return this.database.transaction(async (tx) => {
      if (!isId(orgId) || !(await lockOrganization(tx, orgId))) throw noSuchOrganization();
      const person = (await this.existing(tx, body)) ?? (await this.insert(tx, body));
      const kind = linkKindFor(person);
      requireLinkable(person, kind);
      const { token, expiresAt } = await makeLink(tx, person, kind);
      const action = kind === 'invitation' ? 'staff.invite' : 'staff.reset-link';
      await appendAudit(tx, { ...caller, orgId }, action, `staff:${person.id}`);
      const url = this.address.link(token);
      return created({ staff: store.staffRowOf(person), kind, url, expires_at: expiresAt });
    });
  }

  @Handles(listStaffOf)
  async list({ body }: Call<typeof listStaffOf>): Promise<Answer<StaffListResponse>> {
    if (!isId(body.org_id)) throw noSuchOrganization();
    return ok({ data: await store.listPeople(this.database, body.org_id) });
  }

  @Handles(switchOffStaff)
  async switchOff({ caller, body }: Call<typeof switchOffStaff>): Promise<Answer<StaffRow>> {
    const row = await this.database.transaction(async (tx) => {
      const person = { ...(await this.lock(tx, body)), is_active: false };
      await store.updatePerson(tx, person);
      await dropLink(tx, person.id);
      await endSessions(tx, person.id);
      await appendAudit(tx, { ...caller, orgId: person.org_id }, 'staff.switch-off', `staff:${person.id}`);
      return store.staffRowOf(person);
    });
    await this.projection.project(`staff.${row.id}`);
    return ok(row);
  }

  @Handles(signOutStaffOf)
  async signOut({ caller, body }: Call<typeof signOutStaffOf>): Promise<Answer<EndedSessionsResponse>> {
    const { sessions, staffId } = await this.database.transaction(async (tx) => {
      const person = await this.lock(tx, body);
      const ended = await endSessions(tx, person.id);
      await appendAudit(tx, { ...caller, orgId: person.org_id }, 'staff.sign-out', `staff:${person.id}`);
      return { sessions: ended, staffId: person.id };
    });
    await this.projection.project(`staff.${staffId}`);
    return ok({ sessions });
  }

  /** The way out for the last owner who has lost app, passkeys and recovery codes. */
  @Handles(removeSecondFactorOf)
  async removeSecondFactor({ caller, body }: Call<typeof removeSecondFactorOf>): Promise<Answer<StaffRow>> {
    const row = await this.database.transaction(async (tx) => {
      const person = await this.lock(tx, body);
      await removeSecondFactors(tx, caller, person);
      return { ...store.staffRowOf(person), has_second_factor: false };
    });
    await this.projection.project(`staff.${row.id}`);
    return ok(row);
  }

  private async existing(tx: Sql, body: InviteStaffBody): Promise<store.Person | null> {
    const person = await store.findPersonByEmail(tx, body.org_id, store.normalizedEmail(body.email));
    if (!person) return null;
    if (person.role !== body.role) {
      throw new Refused(
        'conflict',
        `The person has the role ${person.role}; an owner changes it in the console.`,
      );
    }
    return person;
  }

  private async insert(tx: Sql, { org_id, email, name, role }: InviteStaffBody): Promise<store.Person> {
    const given = { id: newId(), org_id, email: store.normalizedEmail(email), name, role };
    const person = await store.insertPerson(tx, given);
    if (!person) throw tooManyPeople();
    return person;
  }

  private async lock(tx: Sql, { email, org_id: orgId }: StaffByEmailBody): Promise<store.Person> {
    if (orgId !== undefined && !isId(orgId)) throw noSuchOrganization();
    const [found, other] = await store.peopleByEmail(tx, store.normalizedEmail(email), orgId);
    if (other) throw new Refused('conflict', 'Several organizations have this person: name one, by --org.');
    const person = found && (await store.lockPerson(tx, found.org_id, found.id));
    if (!person) throw new Refused('not_found', 'There is no person with this e-mail address.');
    return person;
  }
}

function noSuchOrganization(): Refused {
  return new Refused('not_found', 'There is no such organization.');
}
