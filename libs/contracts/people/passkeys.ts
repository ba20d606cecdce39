import { Nested, Text, Timestamp } from '../calls/fields';
import { consoleOperation } from '../calls/operation';
import { MAX_CREDENTIAL_ID_LENGTH, MAX_PART_LENGTH, PasskeyAssertion } from './passkey-assertion';
import { SessionResponse } from './sessions';

/** Passkeys of a person: beside the password, or alone. Source: WebAuthn Level 3; docs/contract.md#people */

/** Of one person. */
export const MAX_PASSKEYS = 10;
const MAX_ATTESTATION_LENGTH = 50_000;

export class PasskeyRow {
  @Text({ format: 'uuid' }) id!: string;
  @Text() name!: string;
  @Timestamp() created_at!: string;
  @Timestamp({ nullable: true }) last_used_at!: string | null;
}

/** What the browser hands to the authenticator for a signature. */
export class PasskeyRequest {
  @Text({ description: 'Base64url; signed once' }) challenge!: string;
  @Text({ description: 'Host name that the passkeys belong to' }) rp_id!: string;
  @Text({
    listOf: { maxItems: MAX_PASSKEYS },
    maxLength: MAX_CREDENTIAL_ID_LENGTH,
    description: 'Empty: any',
  })
  credential_ids!: string[];
}

export class PasskeySignInBody {
  @Text({
    optional: true,
    minLength: 1,
    maxLength: 100,
    description: 'After a password; else the passkey alone',
  })
  pending?: string;
}

export class PasskeySignInRequest extends PasskeyRequest {
  @Text({ description: 'Goes with the signature' }) pending!: string;
}

export class GivePasskeyBody extends PasskeyAssertion {
  @Text({ minLength: 1, maxLength: 100 }) pending!: string;
}

export class PasskeyCreation {
  @Text({ description: 'Base64url; signed once' }) challenge!: string;
  @Text() rp_id!: string;
  @Text({ description: 'Base64url' }) user_id!: string;
  @Text() user_name!: string;
  @Text() display_name!: string;
  @Text({ listOf: { maxItems: MAX_PASSKEYS }, maxLength: MAX_CREDENTIAL_ID_LENGTH })
  exclude_credential_ids!: string[];
}

export class CreatePasskeyBody {
  @Text({ minLength: 1, maxLength: 100 }) name!: string;
  @Text({ minLength: 1, maxLength: MAX_CREDENTIAL_ID_LENGTH }) credential_id!: string;
  @Text({ minLength: 1, maxLength: MAX_PART_LENGTH }) client_data!: string;
  @Text({ minLength: 1, maxLength: MAX_ATTESTATION_LENGTH }) attestation!: string;
  @Text({ listOf: { maxItems: 10 }, maxLength: 30 }) transports!: string[];
}

export class PasskeyListResponse {
  @Nested(() => PasskeyRow, { list: { maxItems: MAX_PASSKEYS } }) data!: PasskeyRow[];
  @Text({ nullable: true, description: 'Null where the address of the console allows no passkeys' })
  rp_id!: string | null;
}

const beforeSession = { service: 'order-core', access: 'anyone' } as const;
const ownSession = { service: 'order-core', access: 'session' } as const;
const PASSKEYS = '/api/me/passkeys';

export const requestPasskeySignIn = consoleOperation({
  ...beforeSession,
  name: 'session.passkey-options',
  summary: 'Make the challenge for a passkey, after a password or alone',
  refuses: ['not_found', 'conflict', 'rate_limited'],
  method: 'POST',
  path: '/api/sign-in/passkey/options',
  body: PasskeySignInBody,
  reply: PasskeySignInRequest,
});

export const givePasskey = consoleOperation({
  ...beforeSession,
  name: 'session.passkey',
  summary: 'Sign in with the answer of a passkey',
  refuses: ['unauthorized', 'conflict', 'rate_limited'],
  method: 'POST',
  path: '/api/sign-in/passkey',
  body: GivePasskeyBody,
  reply: SessionResponse,
});

export const requestPasskeyConfirmation = consoleOperation({
  ...ownSession,
  name: 'session.confirm-options',
  summary: 'Make the challenge for a confirmation by passkey',
  refuses: ['conflict'],
  method: 'POST',
  path: '/api/session/confirm/options',
  reply: PasskeyRequest,
});

export const listPasskeys = consoleOperation({
  ...ownSession,
  name: 'passkeys.list',
  summary: 'List the own passkeys',
  path: PASSKEYS,
  reply: PasskeyListResponse,
});

export const requestPasskey = consoleOperation({
  ...ownSession,
  name: 'passkeys.options',
  summary: 'Make the challenge for a new passkey',
  refuses: ['forbidden', 'conflict'],
  method: 'POST',
  path: `${PASSKEYS}/options`,
  reply: PasskeyCreation,
});

export const createPasskey = consoleOperation({
  ...ownSession,
  name: 'passkeys.create',
  summary: 'Add a passkey by the answer of the authenticator',
  refuses: ['forbidden', 'conflict'],
  statuses: [201],
  method: 'POST',
  path: PASSKEYS,
  body: CreatePasskeyBody,
  reply: PasskeyRow,
});

export const removePasskey = consoleOperation({
  ...ownSession,
  name: 'passkeys.remove',
  summary: 'Remove a passkey; refused to the last factor of a role that needs one',
  refuses: ['not_found', 'forbidden', 'conflict'],
  statuses: [204],
  method: 'DELETE',
  path: `${PASSKEYS}/{passkeyId}`,
});
