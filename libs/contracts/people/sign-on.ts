import { Int, OneOf, QueryText, Text, Timestamp } from '../calls/fields';
import { consoleOperation, internalOperation } from '../calls/operation';

/** Single sign-on: a person of the organization signs in at the organization's own provider (OpenID Connect). */

/** Why a sign-on ended without a session. It does not tell what was wrong with the person. */
export const SIGN_ON_REFUSALS = ['refused', 'too_old', 'unavailable'] as const;
export type SignOnRefusal = (typeof SIGN_ON_REFUSALS)[number];
/** Where the console begins, and where a sign-on ends that was asked for no page. */
export const FIRST_PAGE = '/console';
const MAX_ADDRESS_LENGTH = 2_048;
/** Codes of providers are long where they hold their own state. */
const MAX_CODE_LENGTH = 4_096;
const TOKEN_LENGTH = 43;
const AS_READ = 'As it was read; another one is a 400';

class SignOnRules {
  @Text({ minLength: 1, maxLength: 255, description: 'Address of the provider, as it names itself' })
  issuer!: string;
  @Text({ minLength: 1, maxLength: 255 }) client_id!: string;
}

export class SignOnSettingsBody extends SignOnRules {
  @Text({
    optional: true,
    minLength: 1,
    maxLength: 1_000,
    description: 'Never shown again; left out, the stored one stays. A new issuer needs it',
  })
  client_secret?: string;
  @Int({ description: 'The version that was changed, 0 for none; 409 when there is a newer one' })
  version!: number;
  @Text({ optional: true, description: AS_READ }) redirect_uri?: string;
  @Text({ optional: true, description: AS_READ }) sign_in_url?: string;
  @Text({ optional: true, nullable: true, description: AS_READ }) by?: string | null;
  @Timestamp({ optional: true, nullable: true, description: AS_READ }) at?: string | null;
}

export class SignOnSettings {
  @Text({ nullable: true, maxLength: 255, description: 'Null without a provider' }) issuer!: string | null;
  @Text({ nullable: true, maxLength: 255 }) client_id!: string | null;
  @Int() version!: number;
  @Text({ maxLength: MAX_ADDRESS_LENGTH, description: 'What the provider must know as redirect address' })
  redirect_uri!: string;
  @Text({ maxLength: MAX_ADDRESS_LENGTH, description: 'The page on which people of this organization begin' })
  sign_in_url!: string;
  @Text({ nullable: true, description: 'Who changed them last' }) by!: string | null;
  @Timestamp({ nullable: true }) at!: string | null;
}

export class StartSignOnQuery {
  @QueryText({ maxLength: 100, description: 'Id of the organization' }) org!: string;
  @QueryText({
    optional: true,
    maxLength: MAX_ADDRESS_LENGTH,
    description: 'A page of the console to open then',
  })
  to?: string;
}

/** The answer of the provider; further parameters are allowed. */
export class FinishSignOnQuery {
  @QueryText({ optional: true, maxLength: MAX_CODE_LENGTH }) code?: string;
  @QueryText({ optional: true, maxLength: 200 }) state?: string;
  @QueryText({ optional: true, maxLength: MAX_ADDRESS_LENGTH }) iss?: string;
  @QueryText({ optional: true, maxLength: 200 }) error?: string;
}

export class BeginSignOnBody extends StartSignOnQuery {}

export class BegunSignOn {
  @OneOf(SIGN_ON_REFUSALS, { nullable: true }) refusal!: SignOnRefusal | null;
  @Text({ nullable: true, maxLength: 16_384, description: 'Where the browser goes' }) url!: string | null;
  @Text({ nullable: true, description: 'Binds the answer to this browser' }) token!: string | null;
}

export class FinishSignOnBody extends FinishSignOnQuery {
  @Text({ maxLength: 100, description: 'Id of the organization, of the redirect address' }) org!: string;
  @Text({ nullable: true, minLength: TOKEN_LENGTH, maxLength: TOKEN_LENGTH }) token!: string | null;
}

export class FinishedSignOn {
  @OneOf(SIGN_ON_REFUSALS, { nullable: true }) refusal!: SignOnRefusal | null;
  @Text({ maxLength: MAX_ADDRESS_LENGTH, description: 'The page to open: an own path' }) to!: string;
  @Text({ nullable: true, description: 'With the session' }) cookie!: string | null;
}

const SETTINGS = '/api/v2/public/orgs/{orgId}/settings/sign-on';
const ofSettings = { service: 'order-core', path: SETTINGS } as const;
const byBrowser = { service: 'gateway', access: 'anyone', method: 'GET', statuses: [303] } as const;

export const startSignOn = consoleOperation({
  ...byBrowser,
  name: 'session.start-sign-on',
  summary: "Go to the organization's provider; always a redirect, also of a refusal",
  refuses: ['rate_limited', 'forbidden'],
  path: '/api/oidc/start',
  query: StartSignOnQuery,
});

export const finishSignOn = consoleOperation({
  ...byBrowser,
  name: 'session.finish-sign-on',
  summary: 'Where the provider sends the browser back; sets the cookie of the session',
  refuses: ['rate_limited'],
  path: '/api/oidc/callback/{signOnOrg}',
  query: FinishSignOnQuery,
});

export const getSignOnSettings = consoleOperation({
  ...ofSettings,
  name: 'sign-on.get',
  summary: 'Read which provider signs people in',
  access: 'staff.read',
  reply: SignOnSettings,
});

export const setSignOnSettings = consoleOperation({
  ...ofSettings,
  name: 'sign-on.set',
  summary: 'Choose the provider that signs people in; it must answer',
  access: 'staff.write',
  refuses: ['forbidden', 'conflict'],
  method: 'PUT',
  body: SignOnSettingsBody,
  reply: SignOnSettings,
});

export const removeSignOnSettings = consoleOperation({
  ...ofSettings,
  name: 'sign-on.remove',
  summary: 'Sign in without a provider again',
  access: 'staff.write',
  refuses: ['forbidden'],
  statuses: [204],
  method: 'DELETE',
});

export const beginSignOnFor = internalOperation({
  name: 'sign-ons.begin',
  summary: 'Begin a sign-on for a browser',
  body: BeginSignOnBody,
  reply: BegunSignOn,
});

export const finishSignOnFor = internalOperation({
  name: 'sign-ons.finish',
  summary: 'Finish a sign-on by the answer of the provider',
  body: FinishSignOnBody,
  reply: FinishedSignOn,
});
