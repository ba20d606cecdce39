import type { JsonObject } from './schemas';
import type { Operation } from '@offizin/contracts/calls/operation';
import { SCOPES } from '@offizin/contracts/people/scopes';
import { exchangeToken } from '@offizin/contracts/people/tokens';

/** Authentication of callers. See docs/contract.md#keys-and-tokens */

const scopeRows = Object.entries(SCOPES).map(([scope, meaning]) => `| \`${scope}\` | ${meaning} |`);

export const securitySchemes: JsonObject = {
  AccessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: [
      'A token from `POST /auth/token`: a JWT (ES256) for one organization. Public keys: `/.well-known/jwks.json`.',
      '',
      '| Scope | Allows |',
      '|---|---|',
      ...scopeRows,
    ].join('\n'),
  },
  ApiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'apikey',
    description:
      'On a shop domain an integration key (`ofz_int_…`), for a token an organization key (`ofz_org_…`)',
  },
  XApiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'As the header `apikey`',
  },
  ApiKeyQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'apikey',
    description: 'An integration key; prefer a header, because addresses end up in logs',
  },
  ClientCredentials: {
    type: 'oauth2',
    description:
      'OAuth 2.0 client credentials: the client id is the public id of the API key, the client secret is the key, ' +
      'sent by HTTP Basic or in the form. Metadata: `/.well-known/oauth-authorization-server`.',
    flows: { clientCredentials: { tokenUrl: exchangeToken.path, scopes: SCOPES } },
  },
};

/** Alternatives, of which one suffices; an empty one means that the key is in the body. */
export function securityOf(op: Operation): JsonObject[] {
  switch (op.access) {
    case 'connector':
      return [{ ApiKeyHeader: [] }, { XApiKeyHeader: [] }, { ApiKeyQuery: [] }];
    case 'anyone':
      return [{}, { XApiKeyHeader: [] }, { ApiKeyHeader: [] }];
    case 'internal':
      throw new Error(`${op.name} is internal and must not be in the description.`);
    default:
      return [{ AccessToken: [] }, { ClientCredentials: [op.access] }];
  }
}
