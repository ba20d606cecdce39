/** People, signing in and what else only the console calls; see sentences.ts. */
const PASSWORD_RULE = '12 to 256 characters';
const PERSON_NAME = 'Name of the person';

export const CONSOLE_SENTENCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Preferences: {
    $: 'Settings of a person',
    language: 'Language of the console',
    theme: 'Colours of the console; system follows the device',
  },
  PreferencesBody: {
    $: 'Changes of the settings of a person. Fields left out keep their value',
    language: 'Language of the console',
    time_zone: 'IANA time zone in which times are shown, such as Europe/Berlin',
    theme: 'Colours of the console; system follows the device',
    undo_seconds: 'Seconds for which a decision can be undone; 0, 5 or 10',
    single_keys: 'Whether single keys act: always, with Alt only, or never',
  },
  SessionPerson: { $: 'A person of the organization', id: 'Id of the person', name: PERSON_NAME },
  SessionOrganization: {
    $: 'The organization of the person',
    id: 'Id of the organization, for `{orgId}` in paths',
    name: 'Name of the organization',
  },
  SessionShop: { $: 'A shop of the organization', name: 'Name of the shop' },
  SessionResponse: {
    $: 'Who is signed in, and what that person may do',
    staff: 'The person',
    org: 'The organization of the person',
    shops: 'Shops of the organization',
    scopes: 'What the role of the person allows',
    settings: 'Settings of the person',
  },
  SignInResponse: {
    $: 'A session, or the next step of the sign-in',
    session: 'The session; null while a step is missing',
  },
  SignInBody: {
    $: 'E-mail address and password',
    email: 'E-mail address, in any case',
    password: 'Password of the person',
  },
  ConfirmBody: {
    $: 'Proof that the person is still there: a password or a passkey',
    password: 'Password of the person',
    passkey: 'Answer of a passkey to the challenge of session.confirm-options',
  },
  ChangePasswordBody: {
    $: 'The old and the new password',
    current: 'The present password',
    new: `The new password, ${PASSWORD_RULE}`,
  },
  LinkBody: { $: 'An invitation or a reset link', token: 'Secret part of the link' },
  LinkResponse: {
    $: 'Whom a link is for',
    kind: 'invitation: the person is new; reset: the password was lost',
    name: PERSON_NAME,
    org_name: 'Name of the organization',
  },
  AcceptLinkBody: {
    $: 'The password that a link sets',
    name: 'Name of the person; left out, it stays',
    password: `The new password, ${PASSWORD_RULE}`,
  },
  SessionRow: {
    $: 'A live session of the person',
    id: 'Id of the session',
    created_at: 'When the person signed in, in UTC',
    last_used_at: 'When the session was last used, in UTC',
  },
  SessionListResponse: { $: 'The live sessions of the person', data: 'The sessions' },
  PendingSignInBody: { $: 'A sign-in that is under way' },
  SecondFactorBody: { $: 'The code that finishes a sign-in' },
  TotpResponse: { $: 'The secret of an app, with recovery codes' },
  TotpCodeBody: { $: 'The first code of an app' },
  SecondFactorResponse: {
    $: 'The second factor of the person',
    recovery_codes_left: 'Recovery codes that were not used yet',
  },
  SignInRules: { $: 'Which roles need a second factor' },
  PasskeyAssertion: { $: "The authenticator's answer to a challenge" },
  PasskeyRow: {
    $: 'A passkey of the person',
    id: 'Id of the passkey',
    name: 'Name that the person gave it',
  },
  PasskeyListResponse: { $: 'The passkeys of the person', data: 'The passkeys' },
  PasskeyRequest: { $: 'What the browser hands to the authenticator for a signature' },
  PasskeySignInBody: { $: 'Where in the sign-in the passkey comes' },
  PasskeySignInRequest: { $: 'What the browser hands to the authenticator for signing in' },
  GivePasskeyBody: { $: "The authenticator's answer, for signing in" },
  PasskeyCreation: {
    $: 'What the browser hands to the authenticator for a new passkey',
    user_name: 'E-mail address of the person, which the authenticator shows',
    display_name: PERSON_NAME,
    exclude_credential_ids: 'Passkeys that the person has already, in base64url',
  },
  CreatePasskeyBody: {
    $: 'A new passkey',
    name: 'Name that the person gives it',
    attestation: 'attestationObject of the browser, in base64url',
    transports: 'How the browser reaches the authenticator, as it says itself',
  },
  StaffRow: {
    $: 'A person of the organization, for the owner',
    is_active: 'The person may sign in',
    created_at: 'When the person was invited, in UTC',
  },
  StaffListResponse: { $: 'The people of the organization, by name', data: 'The people' },
  CreateStaffBody: { $: 'A person to invite', name: PERSON_NAME },
  CreateStaffResponse: {
    $: 'The person, and the link to hand over',
    staff: 'The person',
    expires_at: 'When the link expires, in UTC',
  },
  UpdateStaffBody: {
    $: 'Changes of a person. Fields left out keep their value',
    name: PERSON_NAME,
    is_active: 'The person may sign in; false ends the sessions',
  },
  CreateLinkBody: {
    $: 'Which link is wanted',
    kind: 'invitation: the person is new; reset: the password was lost',
  },
  CreateLinkResponse: { $: 'The link to hand over', expires_at: 'When the link expires, in UTC' },
  KnownName: {
    $: 'A person or an API key',
    id: 'The id that was asked for',
    name: 'Name of the person, or purpose of the key',
  },
  NamesResponse: { $: 'The names of the ids that are known', data: 'The names' },
  PresenceBody: { $: 'What the person has open' },
  SearchResponse: { $: 'What a search found, of each kind at most five' },
};
