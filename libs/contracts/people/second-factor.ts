import { Flag, Int, OneOf, Text, Timestamp } from '../calls/fields';
import { consoleOperation } from '../calls/operation';
import { ROLES, type Role } from './roles';
import { SessionResponse } from './sessions';

/** The second factor of a person: codes of an app (TOTP) with recovery codes. See docs/contract.md#people */

/** Given with the secret of the app; each counts once. */
export const RECOVERY_CODE_COUNT = 10;

export class PendingSignInBody {
  @Text({ minLength: 1, maxLength: 100, description: 'Of the answer to the step before' }) pending!: string;
}

export class SecondFactorBody extends PendingSignInBody {
  @Text({ minLength: 1, maxLength: 40, description: 'Six digits of the app, or a recovery code' })
  code!: string;
}

export class TotpResponse {
  @Text({ description: 'Base32, for typing' }) secret!: string;
  @Text({ maxLength: 1_000, description: 'otpauth: address, for a QR code' }) uri!: string;
  @Text({ listOf: { maxItems: RECOVERY_CODE_COUNT }, description: 'Shown once; each counts once' })
  recovery_codes!: string[];
}

export class TotpCodeBody {
  @Text({ minLength: 1, maxLength: 40, description: 'Six digits of the app' }) code!: string;
}

export class SecondFactorResponse {
  @Timestamp({ nullable: true, description: 'Since when codes of an app count; null without' })
  totp_since!: string | null;
  @Int({ maximum: RECOVERY_CODE_COUNT }) recovery_codes_left!: number;
  @Flag({ description: 'The role of the person needs a second factor' }) is_required!: boolean;
}

export class SignInRules {
  @OneOf(ROLES, { many: true, description: 'Roles that sign in with a second factor only' })
  second_factor_roles!: Role[];
}

const beforeSession = { service: 'order-core', access: 'anyone' } as const;
const ownSession = { service: 'order-core', access: 'session' } as const;
const RULES = '/api/v2/public/orgs/{orgId}/settings/sign-in';

export const giveSecondFactor = consoleOperation({
  ...beforeSession,
  name: 'session.second-factor',
  summary: 'Finish a sign-in with a code; a wrong one counts as a wrong password does',
  refuses: ['unauthorized', 'not_found', 'rate_limited'],
  method: 'POST',
  path: '/api/sign-in/second-factor',
  body: SecondFactorBody,
  reply: SessionResponse,
});

export const beginSetUp = consoleOperation({
  ...beforeSession,
  name: 'session.begin-set-up',
  summary: 'Within a sign-in of a role that needs a second factor: make the secret of the app',
  refuses: ['not_found', 'rate_limited'],
  method: 'POST',
  path: '/api/sign-in/totp',
  body: PendingSignInBody,
  reply: TotpResponse,
});

export const finishSetUp = consoleOperation({
  ...beforeSession,
  name: 'session.finish-set-up',
  summary: 'Confirm the app by its first code; the answer signs in',
  refuses: ['not_found', 'rate_limited'],
  method: 'POST',
  path: '/api/sign-in/totp/confirm',
  body: SecondFactorBody,
  reply: SessionResponse,
});

export const getSecondFactor = consoleOperation({
  ...ownSession,
  name: 'second-factor.get',
  summary: 'Read which second factor the person has',
  path: '/api/me/second-factor',
  reply: SecondFactorResponse,
});

export const beginTotp = consoleOperation({
  ...ownSession,
  name: 'second-factor.begin-totp',
  summary:
    'Make the secret of an app and recovery codes; they count, in place of those before, after the first code',
  refuses: ['forbidden'],
  method: 'POST',
  path: '/api/me/totp',
  reply: TotpResponse,
});

export const confirmTotp = consoleOperation({
  ...ownSession,
  name: 'second-factor.confirm-totp',
  summary: 'Confirm the app by its first code; from then on signing in asks for one',
  refuses: ['forbidden', 'conflict'],
  statuses: [204],
  method: 'POST',
  path: '/api/me/totp/confirm',
  body: TotpCodeBody,
});

export const removeTotp = consoleOperation({
  ...ownSession,
  name: 'second-factor.remove-totp',
  summary: 'Remove the app and its recovery codes; refused to the last factor of a role that needs one',
  refuses: ['forbidden', 'conflict'],
  statuses: [204],
  method: 'DELETE',
  path: '/api/me/totp',
});

export const getSignInRules = consoleOperation({
  name: 'sign-in-rules.get',
  summary: 'Read which roles need a second factor',
  access: 'staff.read',
  path: RULES,
  reply: SignInRules,
});

export const setSignInRules = consoleOperation({
  name: 'sign-in-rules.set',
  summary: 'Set which roles need a second factor, from the next sign-in on',
  access: 'staff.write',
  refuses: ['forbidden'],
  method: 'PUT',
  path: RULES,
  body: SignInRules,
  reply: SignInRules,
});
