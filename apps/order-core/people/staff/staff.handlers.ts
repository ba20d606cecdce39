import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, created, noContent, ok } from '@offizin/contracts/calls/operation';
import {
  createLink,
  type CreateLinkResponse,
  createStaff,
  type CreateStaffResponse,
  findNames,
  listStaff,
  MAX_ASKED_NAMES,
  MAX_STAFF,
  type NamesResponse,
  removeSecondFactor,
  signOutStaff,
  type StaffListResponse,
  type StaffRow,
  updateStaff,
  type UpdateStaffBody,
} from '@offizin/contracts/people/staff';
import { storeAnswer } from '@offizin/idempotency/stored-answer';
import { Database, isUniqueViolation, type Sql } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { appendAudit } from '../../audit/audit.store';
import { lockOrganization } from '../directory/organizations.store';
import { assertCallerIsLive, assertConfirmed } from '../../callers/live-caller.store';
import { DirectoryProjection } from '../directory/projection';
import { dropLink, makeLink } from './links.store';
import { endSessions } from './sessions.store';
import { removeSecondFactors } from './second-factor';
import { ConsoleAddress, requireLinkable } from './staff-links';
import * as store from './staff.store';

/** The owner's list of people. Every change needs a recent confirmation of the password. */
@Controller()
export class StaffHandlers {
  constructor(
    private readonly database: Database,
    private readonly projection: DirectoryProjection,
    private readonly address: ConsoleAddress,
  ) {}

  @Handles(listStaff)
  async list({ caller }: Call<typeof listStaff>): Promise<Answer<StaffListResponse>> {
    return ok({ data: await store.listPeople(this.database, caller.orgId) });
  }

  @Handles(findNames)
  async names({ caller, query }: Call<typeof findNames>): Promise<Answer<NamesResponse>> {
    const ids = query.ids.split(',');
    const { orgId, scopes } = caller;
    if (ids.length > MAX_ASKED_NAMES)
      throw invalid([{ field: 'ids', message: `must be at most ${MAX_ASKED_NAMES} ids` }]);
    return ok({ data: await store.namesOf(this.database, orgId, ids.filter(isId), scopes) });
  }

  @Handles(createStaff)
  async create({ caller, body, keyRun }: Call<typeof createStaff>): Promise<Answer<CreateStaffResponse>> {
    const { orgId } = caller;
    const given = { id: newId(), org_id: orgId, ...body, email: store.normalizedEmail(body.email) };
    try {
      return await this.database.transaction(async (tx) => {
        await this.begin(tx, caller);
        const person = await store.insertPerson(tx, given);
        if (!person) throw tooManyPeople();
        const { token, expiresAt } = await makeLink(tx, person, 'invitation');
        await appendAudit(tx, caller, 'staff.create', `staff:${person.id}`);
        const staff = store.staffRowOf(person);
        const reply = { staff, invite_url: this.address.link(token), expires_at: expiresAt };
        return storeAnswer(tx, keyRun, created(reply));
      });
    } catch (error) {
      throw isUniqueViolation(error, 'staff_email') ? emailTaken() : error;
    }
  }

  @Handles(updateStaff)
  async update({ caller, params, body }: Call<typeof updateStaff>): Promise<Answer<StaffRow>> {
    if (Object.values(body).every((value) => value === undefined)) {
      throw invalid([{ field: 'body', message: 'must name at least one field to change' }]);
    }
    const row = await this.database.transaction(async (tx) => {
      // Also makes the count of owners exact.
      await this.begin(tx, caller);
      const before = await this.lock(tx, caller, params.staffId);
      const after = { ...before, ...given(body) };
      await store.updatePerson(tx, after);
      if ((await store.ownersOf(tx, caller.orgId)) === 0) throw lastOwner();
      if (after.role !== before.role || after.is_active !== before.is_active) {
        await endSessions(tx, before.id);
      }
      if (!after.is_active) await dropLink(tx, before.id);
      for (const action of changesBetween(before, after)) {
        await appendAudit(tx, caller, action, `staff:${before.id}`);
      }
      return store.staffRowOf(after);
    });
    await this.projection.project(`staff.${row.id}`);
    return ok(row);
  }

  @Handles(createLink)
  async link({ caller, params, body, keyRun }: Call<typeof createLink>): Promise<Answer<CreateLinkResponse>> {
    return this.database.transaction(async (tx) => {
      await this.begin(tx, caller);
      const person = await this.lock(tx, caller, params.staffId);
      requireLinkable(person, body.kind);
      const { token, expiresAt } = await makeLink(tx, person, body.kind);
      const action = body.kind === 'invitation' ? 'staff.invite' : 'staff.reset-link';
      await appendAudit(tx, caller, action, `staff:${person.id}`);
      return storeAnswer(tx, keyRun, created({ url: this.address.link(token), expires_at: expiresAt }));
    });
  }

  @Handles(signOutStaff)
  async signOut({ caller, params, keyRun }: Call<typeof signOutStaff>): Promise<Answer<never>> {
    const answer = await this.database.transaction(async (tx) => {
      await this.begin(tx, caller);
      const person = await this.lock(tx, caller, params.staffId);
      await endSessions(tx, person.id);
      await appendAudit(tx, caller, 'staff.sign-out', `staff:${person.id}`);
      return storeAnswer(tx, keyRun, noContent());
    });
    await this.projection.project(`staff.${params.staffId}`);
    return answer;
  }

  /** For a person whose phone is lost. */
  @Handles(removeSecondFactor)
  async removeSecondFactor({ caller, params }: Call<typeof removeSecondFactor>): Promise<Answer<never>> {
    await this.database.transaction(async (tx) => {
      await this.begin(tx, caller);
      await removeSecondFactors(tx, caller, await this.lock(tx, caller, params.staffId));
    });
    await this.projection.project(`staff.${params.staffId}`);
    return noContent();
  }

  /** Locks the organization, so that changes of its people run one after the other. */
  private async begin(tx: Sql, caller: Caller): Promise<void> {
    if (!(await lockOrganization(tx, caller.orgId))) throw notFound('organization');
    await assertCallerIsLive(tx, caller);
    await assertConfirmed(tx, caller);
  }

  private async lock(tx: Sql, { orgId }: Caller, staffId: string): Promise<store.Person> {
    const person = isId(staffId) ? await store.lockPerson(tx, orgId, staffId) : null;
    if (!person) throw notFound('person');
    return person;
  }
}

function given({ name, role, is_active }: UpdateStaffBody): Partial<store.Person> {
  return {
    ...(name !== undefined && { name }),
    ...(role !== undefined && { role }),
    ...(is_active !== undefined && { is_active }),
  };
}

/** Actions of the audit log. */
function changesBetween(before: store.Person, after: store.Person): string[] {
  return [
    ...(before.name === after.name ? [] : ['staff.rename']),
    ...(before.role === after.role ? [] : ['staff.change-role']),
    ...(before.is_active === after.is_active
      ? []
      : [after.is_active ? 'staff.switch-on' : 'staff.switch-off']),
  ];
}

export function tooManyPeople(): Refused {
  return new Refused(
    'conflict',
    `An organization has at most ${MAX_STAFF} people, switched-off ones included.`,
  );
}

function emailTaken(): Refused {
  return new Refused('conflict', 'This e-mail address belongs to a person of the organization already.');
}

function lastOwner(): Refused {
  return new Refused('conflict', 'The last owner stays: make another person owner first.');
}
