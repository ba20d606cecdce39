import { Int, OneOf, Text } from '../calls/fields';
import { operation } from '../calls/operation';
import { Described } from '../calls/schema';

/** Exchange of an API key for an access token. Three forms: JSON, header, OAuth 2.0 client credentials. */

@Described('An API key that is exchanged for an access token; the header X-API-Key may hold it instead')
export class TokenRequest {
  @Text({ optional: true, description: 'An organization API key (ofz_org_…)' }) api_key?: string;
  @Text({ optional: true, description: 'Scopes to narrow to, with spaces between', maxLength: 2000 })
  scope?: string;
}

@Described('OAuth 2.0 client credentials (RFC 6749 4.4); id and secret may be sent by HTTP Basic instead.')
export class ClientCredentialsForm {
  @OneOf(['client_credentials'], { description: 'The only grant there is' })
  grant_type!: 'client_credentials';
  @Text({ optional: true, description: 'Public id of the API key' }) client_id?: string;
  @Text({ optional: true, description: 'The API key' }) client_secret?: string;
  @Text({ optional: true, description: 'Scopes to narrow to, with spaces between', maxLength: 2000 })
  scope?: string;
}

@Described('An access token')
export class TokenResponse {
  @Text({ maxLength: 4096, description: 'A JWT (ES256)' }) access_token!: string;
  @Text({
    example: 'Bearer',
    description: 'Always Bearer: the token goes into `Authorization: Bearer <token>`',
  })
  token_type!: 'Bearer';
  @Int({ description: 'Seconds until it expires' }) expires_in!: number;
  @Text({ maxLength: 2000, description: 'Scopes granted, with spaces between' }) scope!: string;
  @Text({ description: 'Organization of the API key, for `{orgId}` in paths' }) org_id!: string;
}

/** Of OAuth 2.0 requests only: a form, or HTTP Basic. */
export const OAUTH_REFUSALS = ['unsupported_grant_type', 'invalid_scope', 'invalid_client'] as const;

export const exchangeToken = operation({
  name: 'tokens.exchange',
  summary: 'Exchange an API key for an access token',
  refuses: [...OAUTH_REFUSALS, 'insufficient_scope'],
  service: 'gateway',
  access: 'anyone',
  method: 'POST',
  path: '/auth/token',
  body: TokenRequest,
  reply: TokenResponse,
});

export const exchangeTokenOfOrganization = operation({
  name: 'tokens.exchange-for-organization',
  summary: 'Exchange an API key of this organization for an access token',
  refuses: [...OAUTH_REFUSALS, 'insufficient_scope', 'forbidden'],
  service: 'gateway',
  access: 'anyone',
  method: 'POST',
  path: '/api/v2/public/orgs/{orgId}/auth/token',
  body: TokenRequest,
  reply: TokenResponse,
});
