import { Email, Int, Nested, OneOf, Text, Timestamp } from '../calls/fields';
import { internalOperation } from '../calls/operation';
import { ROLES, type Role } from './roles';
import { LINK_KINDS, type LinkKind } from './sessions';
import { StaffListResponse, StaffRow } from './staff';

/** The operator's command line: the first owner of an organization, and help for people who are locked out. */

export class InviteStaffBody {
  @Text({ minLength: 1 }) org_id!: string;
  @Email() email!: string;
  @Text({ minLength: 1 }) name!: string;
  @OneOf(ROLES) role!: Role;
}

export class InviteStaffResponse {
  @Nested(() => StaffRow) staff!: StaffRow;
  @OneOf(LINK_KINDS) kind!: LinkKind;
  @Text({ maxLength: 500, shownOnce: true }) url!: string;
  @Timestamp() expires_at!: string;
}

export class StaffOfBody {
  @Text({ minLength: 1 }) org_id!: string;
}

export class StaffByEmailBody {
  @Text({ minLength: 1 }) email!: string;
  /** Needed where several organizations have a person of this e-mail. */
  @Text({ optional: true, minLength: 1 }) org_id?: string;
}

export class EndedSessionsResponse {
  @Int({ description: 'Sessions that ended' }) sessions!: number;
}

export const inviteStaffFor = internalOperation({
  name: 'staff-operator.invite',
  summary: 'Invite a person; for one who is there already, make a new link',
  body: InviteStaffBody,
  reply: InviteStaffResponse,
});

export const listStaffOf = internalOperation({
  name: 'staff-operator.list',
  summary: 'List the people of an organization, by name',
  body: StaffOfBody,
  reply: StaffListResponse,
});

export const switchOffStaff = internalOperation({
  name: 'staff-operator.switch-off',
  summary: 'Switch a person off and end the sessions; also the last owner',
  body: StaffByEmailBody,
  reply: StaffRow,
});

export const signOutStaffOf = internalOperation({
  name: 'staff-operator.sign-out',
  summary: 'End every session of a person',
  body: StaffByEmailBody,
  reply: EndedSessionsResponse,
});

export const removeSecondFactorOf = internalOperation({
  name: 'staff-operator.remove-second-factor',
  summary: 'Remove every second factor of a person and end the sessions; also of the last owner',
  body: StaffByEmailBody,
  reply: StaffRow,
});
