import { OAuthRefused, type Refused } from '@offizin/contracts/calls/errors';
import { ALL_SCOPES } from '@offizin/contracts/people/scopes';

/** What a stock OAuth 2.0 client expects of the token exchange: metadata (RFC 8414) and error codes (RFC 6749 5.2). */

export const OAUTH_METADATA_PATH = '/.well-known/oauth-authorization-server';

export function serverMetadata(issuer: string): object {
  return {
    issuer,
    token_endpoint: `${issuer}/auth/token`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    scopes_supported: ALL_SCOPES,
    // RFC 8414 requires this member; no grant of ours uses the authorization endpoint.
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    service_documentation: `${issuer}/docs`,
  };
}

/** Our codes that have a counterpart in RFC 6749 get its name; the others stay. */
export function oauthRefusal({ code, message, details, headers }: Refused): OAuthRefused {
  switch (code) {
    case 'unauthorized': {
      const challenge = { 'www-authenticate': 'Basic realm="offizin"' };
      return new OAuthRefused('invalid_client', message, details, challenge);
    }
    case 'insufficient_scope':
      return new OAuthRefused('invalid_scope', message, details, headers);
    default:
      return new OAuthRefused(code, message, details, headers);
  }
}
