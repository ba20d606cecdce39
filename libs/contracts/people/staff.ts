import { Email, Flag, Nested, OneOf, QueryText, Text, Timestamp } from '../calls/fields';
import { consoleOperation } from '../calls/operation';
import { ROLES, type Role } from './roles';
import { LINK_KINDS, type LinkKind, SessionPerson } from './sessions';

/** The owner's list of people: invite, change the role, switch off. */

/** People of one organization, switched-off ones included. */
export const MAX_STAFF = 200;

export class StaffRow extends SessionPerson {
  @Flag() is_active!: boolean;
  @Flag({ description: 'Has set a password' }) has_joined!: boolean;
  @Flag({ description: 'Signs in with a second factor' }) has_second_factor!: boolean;
  @Timestamp() created_at!: string;
  @Timestamp({ nullable: true, description: 'Last sign-in' }) last_seen_at!: string | null;
}

export class StaffListResponse {
  @Nested(() => StaffRow, { list: { maxItems: MAX_STAFF } }) data!: StaffRow[];
}

export class CreateStaffBody {
  @Email() email!: string;
  @Text({ minLength: 1 }) name!: string;
  @OneOf(ROLES) role!: Role;
}

export class CreateStaffResponse {
  @Nested(() => StaffRow) staff!: StaffRow;
  @Text({ shownOnce: true, maxLength: 500, description: 'Shown once; hand it to the person' })
  invite_url!: string | null;
  @Timestamp() expires_at!: string;
}

export class UpdateStaffBody {
  @Text({ optional: true, minLength: 1 }) name?: string;
  @OneOf(ROLES, { optional: true }) role?: Role;
  @Flag({ optional: true }) is_active?: boolean;
}

export class CreateLinkBody {
  @OneOf(LINK_KINDS) kind!: LinkKind;
}

export class CreateLinkResponse {
  @Text({ shownOnce: true, maxLength: 500, description: 'Shown once; hand it to the person' })
  url!: string | null;
  @Timestamp() expires_at!: string;
}

/** Ids of one question for names. */
export const MAX_ASKED_NAMES = 50;

export class NamesQuery {
  @QueryText({
    maxLength: 2000,
    description: 'Ids of people and of API keys, separated by commas; at most 50',
  })
  ids!: string;
}

export class KnownName {
  @Text({ format: 'uuid' }) id!: string;
  @Text() name!: string;
}

export class NamesResponse {
  @Nested(() => KnownName, { list: { maxItems: MAX_ASKED_NAMES } }) data!: KnownName[];
}

const STAFF = '/api/v2/public/orgs/{orgId}/staff';
const PERSON = `${STAFF}/{staffId}` as const;

export const listStaff = consoleOperation({
  name: 'staff.list',
  summary: 'List the people of the organization, by name',
  access: 'staff.read',
  path: STAFF,
  reply: StaffListResponse,
});

export const createStaff = consoleOperation({
  name: 'staff.create',
  summary: 'Invite a person; the link is shown once',
  refuses: ['conflict'],
  access: 'staff.write',
  statuses: [201],
  method: 'POST',
  path: STAFF,
  body: CreateStaffBody,
  reply: CreateStaffResponse,
});

export const updateStaff = consoleOperation({
  name: 'staff.update',
  summary: 'Change name or role, or switch a person off and on; the last owner stays',
  refuses: ['not_found', 'conflict'],
  access: 'staff.write',
  method: 'PUT',
  path: PERSON,
  body: UpdateStaffBody,
  reply: StaffRow,
});

export const createLink = consoleOperation({
  name: 'staff.link',
  summary: 'Make an invitation or reset link; earlier links of the person end',
  refuses: ['not_found', 'conflict'],
  access: 'staff.write',
  statuses: [201],
  method: 'POST',
  path: `${PERSON}/link`,
  body: CreateLinkBody,
  reply: CreateLinkResponse,
});

export const signOutStaff = consoleOperation({
  name: 'staff.sign-out',
  summary: 'End every session of a person',
  refuses: ['not_found'],
  access: 'staff.write',
  statuses: [204],
  method: 'POST',
  path: `${PERSON}/sign-out`,
});

export const removeSecondFactor = consoleOperation({
  name: 'staff.remove-second-factor',
  summary: 'Remove every second factor of a person, as for a lost phone, and end the sessions',
  refuses: ['not_found'],
  access: 'staff.write',
  statuses: [204],
  method: 'DELETE',
  path: `${PERSON}/second-factor`,
});

/** For logs, whose entries hold ids. Orders and requests need the scope that reads them. */
export const findNames = consoleOperation({
  name: 'staff.names',
  summary:
    'Names of people, keys, shops and sessions, numbers of orders, customers of requests; unknown ids are left out',
  access: 'session',
  path: '/api/v2/public/orgs/{orgId}/names',
  query: NamesQuery,
  reply: NamesResponse,
});
