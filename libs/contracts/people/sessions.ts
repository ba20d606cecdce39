import { Email, Flag, Int, Nested, OneOf, Text, Timestamp } from '../calls/fields';
import { consoleOperation } from '../calls/operation';
import { PasskeyAssertion } from './passkey-assertion';
import { MAX_SHOPS } from '../products/products';
import { ROLES, type Role } from './roles';
import { ALL_SCOPES, PEOPLE_SCOPES, type StaffScope } from './scopes';
import { ORDER_COLUMNS, type OrderColumn } from '../console/views';

/** A person in the console: signing in, the session, the own settings, and links that set a password. */

/** Shorter passwords are refused; there is no other rule of form. See docs/contract.md#people */
export const MIN_PASSWORD_LENGTH = 12;
/** Longer passwords cost time without adding safety. */
const MAX_PASSWORD_LENGTH = 256;
/** Live sessions of one person; signing in once more ends the oldest. */
export const MAX_SESSIONS = 20;

export const LANGUAGES = ['de', 'en'] as const;
export const THEMES = ['system', 'light', 'dark'] as const;
export const SINGLE_KEYS = ['on', 'alt', 'off'] as const;
export const LINK_KINDS = ['invitation', 'reset'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** What may still be missing after a right password or link: a second factor, or its set-up. */
export const SIGN_IN_STEPS = ['second_factor', 'set_up'] as const;
export type SignInStep = (typeof SIGN_IN_STEPS)[number];
/** How a session was made: by password (also after a link), by passkey alone, or at the organization's provider. */
export const SIGNED_IN_BY = ['password', 'passkey', 'provider'] as const;
export type SignedInBy = (typeof SIGNED_IN_BY)[number];
export const SECOND_FACTORS = ['totp', 'recovery_code', 'passkey'] as const;
export type SecondFactor = (typeof SECOND_FACTORS)[number];

export class Preferences {
  @OneOf(LANGUAGES) language!: (typeof LANGUAGES)[number];
  @Text({ example: 'Europe/Berlin', description: 'IANA time zone in which times are shown' })
  time_zone!: string;
  @OneOf(THEMES) theme!: (typeof THEMES)[number];
  @Int({ maximum: 10, description: 'Seconds for which a decision can be undone; 0, 5 or 10' })
  undo_seconds!: number;
  @OneOf(SINGLE_KEYS, { description: 'Whether single keys act: always, with Alt only, or never' })
  single_keys!: (typeof SINGLE_KEYS)[number];
  @OneOf(ORDER_COLUMNS, {
    many: true,
    description: 'Of the table of orders, with number; empty: the usual ones',
  })
  order_columns!: OrderColumn[];
  @Flag({ description: 'The person does not want the first steps of an empty pharmacy' })
  hides_first_steps!: boolean;
}

export class PreferencesBody {
  @OneOf(LANGUAGES, { optional: true }) language?: (typeof LANGUAGES)[number];
  @Text({ optional: true, minLength: 1 }) time_zone?: string;
  @OneOf(THEMES, { optional: true }) theme?: (typeof THEMES)[number];
  @Int({ optional: true, maximum: 10 }) undo_seconds?: number;
  @OneOf(SINGLE_KEYS, { optional: true }) single_keys?: (typeof SINGLE_KEYS)[number];
  @OneOf(ORDER_COLUMNS, { optional: true, many: true }) order_columns?: OrderColumn[];
  @Flag({ optional: true }) hides_first_steps?: boolean;
}

export class SessionPerson {
  @Text({ format: 'uuid' }) id!: string;
  @Text() name!: string;
  @Email() email!: string;
  @OneOf(ROLES) role!: Role;
}

export class SessionOrganization {
  @Text() id!: string;
  @Text() name!: string;
}

export class SessionShop {
  @Text() shop_id!: string;
  @Text() name!: string;
}

export class SessionResponse {
  @Nested(() => SessionPerson) staff!: SessionPerson;
  @Nested(() => SessionOrganization) org!: SessionOrganization;
  @Nested(() => SessionShop, { list: { maxItems: MAX_SHOPS } }) shops!: SessionShop[];
  @OneOf([...ALL_SCOPES, ...PEOPLE_SCOPES], { many: true }) scopes!: StaffScope[];
  @Flag({ description: 'The organization has prescriptions without a request' }) has_prescriptions!: boolean;
  @Nested(() => Preferences) settings!: Preferences;
  @Timestamp({ description: 'The session ends then, however much it is used' }) ends_at!: string;
  @Int({ description: 'Seconds without a call after which the session ends' }) idle_seconds!: number;
  @OneOf(SIGNED_IN_BY, { description: 'How the session was made' }) signed_in_by!: SignedInBy;
  @Timestamp({ description: 'Until then the password need not be confirmed' }) confirmed_until!: string;
}

/** Either a session, or the next step of the sign-in. */
export class SignInResponse {
  @Nested(() => SessionResponse, { nullable: true }) session!: SessionResponse | null;
  @OneOf(SIGN_IN_STEPS, { nullable: true, description: 'Null with a session' }) next!: SignInStep | null;
  @OneOf(SECOND_FACTORS, { many: true, description: 'What the person can use for the next step' })
  methods!: SecondFactor[];
  @Text({ nullable: true, description: 'Goes with the next call of this sign-in; it opens nothing alone' })
  pending!: string | null;
}

export class SignInBody {
  @Text({ minLength: 1, maxLength: 255 }) email!: string;
  @Text({ minLength: 1, maxLength: MAX_PASSWORD_LENGTH }) password!: string;
}

/** One of the two. */
export class ConfirmBody {
  @Text({ optional: true, minLength: 1, maxLength: MAX_PASSWORD_LENGTH }) password?: string;
  @Nested(() => PasskeyAssertion, { optional: true }) passkey?: PasskeyAssertion;
}

export class ChangePasswordBody {
  @Text({ minLength: 1, maxLength: MAX_PASSWORD_LENGTH }) current!: string;
  @Text({ minLength: MIN_PASSWORD_LENGTH, maxLength: MAX_PASSWORD_LENGTH }) new!: string;
}

export class LinkBody {
  @Text({ minLength: 1, maxLength: 100 }) token!: string;
}

export class LinkResponse {
  @OneOf(LINK_KINDS) kind!: LinkKind;
  @Email() email!: string;
  @Text() name!: string;
  @Text() org_name!: string;
}

export class AcceptLinkBody extends LinkBody {
  @Text({ optional: true, minLength: 1 }) name?: string;
  @Text({ minLength: MIN_PASSWORD_LENGTH, maxLength: MAX_PASSWORD_LENGTH }) password!: string;
}

export class SessionRow {
  @Text({ format: 'uuid' }) id!: string;
  @Flag({ description: 'The session of this call' }) current!: boolean;
  @Timestamp() created_at!: string;
  @Timestamp() last_used_at!: string;
  @Timestamp() ends_at!: string;
}

export class SessionListResponse {
  @Nested(() => SessionRow, { list: { maxItems: MAX_SESSIONS } }) data!: SessionRow[];
}

const ownSession = { service: 'order-core', access: 'session' } as const;
const beforeSession = { service: 'order-core', access: 'anyone' } as const;

export const signIn = consoleOperation({
  ...beforeSession,
  name: 'session.sign-in',
  summary: 'Sign in with e-mail and password; the answer sets the cookie, or names the next step',
  refuses: ['unauthorized', 'rate_limited'],
  method: 'POST',
  path: '/api/sign-in',
  body: SignInBody,
  reply: SignInResponse,
});

export const getSession = consoleOperation({
  ...ownSession,
  name: 'session.get',
  summary: 'Read who is signed in, and what that person may do',
  path: '/api/session',
  reply: SessionResponse,
});

export const signOut = consoleOperation({
  ...ownSession,
  name: 'session.sign-out',
  summary: 'End this session',
  statuses: [204],
  method: 'DELETE',
  path: '/api/session',
});

export const confirmSession = consoleOperation({
  ...ownSession,
  name: 'session.confirm',
  summary: 'Confirm by password or passkey again, for changes of people, keys and secrets',
  refuses: ['unauthorized', 'rate_limited'],
  statuses: [204],
  method: 'POST',
  path: '/api/session/confirm',
  body: ConfirmBody,
});

export const listSessions = consoleOperation({
  ...ownSession,
  name: 'session.list',
  summary: 'List the own live sessions',
  path: '/api/sessions',
  reply: SessionListResponse,
});

export const endSession = consoleOperation({
  ...ownSession,
  name: 'session.end',
  summary: 'End one of the own sessions',
  refuses: ['not_found'],
  statuses: [204],
  method: 'DELETE',
  path: '/api/sessions/{sessionId}',
});

export const changePreferences = consoleOperation({
  ...ownSession,
  name: 'session.preferences',
  summary: 'Change the own language, time zone, theme, undo time, keys and columns',
  method: 'PUT',
  path: '/api/me',
  body: PreferencesBody,
  reply: SessionResponse,
});

export const changePassword = consoleOperation({
  ...ownSession,
  name: 'session.password',
  summary: 'Change the own password; every other session of the person ends',
  refuses: ['unauthorized', 'rate_limited'],
  statuses: [204],
  method: 'POST',
  path: '/api/me/password',
  body: ChangePasswordBody,
});

export const readLink = consoleOperation({
  ...beforeSession,
  name: 'links.read',
  summary: 'Read whom an invitation or a reset link is for',
  refuses: ['not_found', 'rate_limited'],
  method: 'POST',
  path: '/api/links/read',
  body: LinkBody,
  reply: LinkResponse,
});

export const acceptLink = consoleOperation({
  ...beforeSession,
  name: 'links.accept',
  summary: 'Set the password by a link, once; the answer signs in, or names the next step',
  refuses: ['not_found', 'rate_limited'],
  method: 'POST',
  path: '/api/links/accept',
  body: AcceptLinkBody,
  reply: SignInResponse,
});
