/** Tokens, API keys, settings and the audit log of an organization; see sentences.ts. */
export const ORGANIZATION_SENTENCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  TokenRequest: {
    $: 'An API key that is exchanged for an access token; the header X-API-Key may hold it instead',
  },
  ClientCredentialsForm: { grant_type: 'The only grant there is' },
  TokenResponse: {
    $: 'An access token',
    token_type: 'Always Bearer: the token goes into `Authorization: Bearer <token>`',
    org_id: 'Organization of the API key, for `{orgId}` in paths',
  },
  ErrorBody: { error: 'Code of the error, for programs' },
  Problem: {
    $: 'One problem of a request',
    field: 'Path of the field',
    message: 'What is wrong with it, for people',
  },
  ApiKeyRow: {
    $: 'An API key, without the key itself',
    id: 'Public id of the key',
    name: 'Purpose of the key, for people',
    kind: 'org: exchanged for tokens; int: for the connector',
    scopes: 'Scopes that tokens of the key may have; empty for kind int',
    shop_id: 'Kind int: the one shop it is bound to; null for every shop, and for kind org',
    expires_at: 'When the key ends by itself, in UTC; null when never',
    revoked_at: 'When the key was revoked, in UTC; null where it was not',
  },
  ApiKeyListResponse: { $: 'A page of API keys, oldest first' },
  CreateApiKeyBody: {
    $: 'A new API key',
    expires_at: 'When the key ends by itself, ISO 8601 with an offset; null or left out: never',
  },
  CreatedApiKey: { $: 'An API key with the key itself, which is shown this once' },
  RotateApiKeyBody: { $: 'How long the old key stays valid' },
  WorkflowBody: { $: 'Which status of an order may follow which' },
  WorkflowResponse: {
    $: 'Which status of an order may follow which',
    mode: 'default: the pipeline; open: any status from any; custom: own transitions',
  },
  StockSettings: { $: 'Whether stock follows the orders of integrators' },
  ShopSettings: { $: 'Settings of a shop', name: 'Name of the shop' },
  ShopSettingsBody: {
    $: 'Changes of the settings of a shop. Fields left out keep their value',
    name: 'Name of the shop',
    domain: 'Host name that the connector serves the shop on; unique on the platform',
    is_active: 'false: the connector answers 404 on its domain',
  },
  AuditEntry: {
    $: 'Who did what to which object, in which request',
    at: 'When it was done, in UTC',
    action: 'What was done: noun and verb',
    object: 'Kind and id of the object',
    request_id: 'X-Request-Id of the request that did it',
  },
  AuditLogResponse: { $: 'A page of the audit log, newest first' },
  AuditVerifyResponse: { status: 'broken: at least one entry does not match its seal' },
};
