import { Refused } from '@offizin/contracts/errors';
import { TokenRequest } from '@offizin/contracts/tokens';
import { parseStrictJson } from '@offizin/runtime/strict-json';
import { validate } from '@offizin/runtime/validate';

/** What a token exchange asks for, whichever of the three forms it came in. */
export interface TokenAsk {
  apiKey: string;
  /** With the OAuth form: the public id that must belong to the key. */
  clientId: string | null;
  scope: string | null;
}

const FORM = 'application/x-www-form-urlencoded';

/** Reads the three forms: JSON, key in a header with an empty body, OAuth 2.0 client credentials (RFC 6749 4.4). */
export function readTokenRequest(
  headers: Record<string, string | string[] | undefined>,
  mediaType: string | null,
  body: Buffer,
): TokenAsk {
  if (mediaType === FORM) return readForm(headers['authorization'], body);
  if (body.length > 0) {
    const { api_key, scope } = validate(TokenRequest, parseStrictJson(body));
    return { apiKey: api_key ?? headerKey(headers), clientId: null, scope: scope ?? null };
  }
  return { apiKey: headerKey(headers), clientId: null, scope: null };
}

function headerKey(headers: Record<string, string | string[] | undefined>): string {
  const key = headers['x-api-key'] ?? headers['apikey'];
  return typeof key === 'string' ? key : '';
}

function readForm(authorization: string | string[] | undefined, body: Buffer): TokenAsk {
  const form = new URLSearchParams(body.toString());
  if (form.get('grant_type') !== 'client_credentials') {
    const message = 'must be client_credentials';
    throw new Refused('invalid_request', `grant_type ${message}.`, [{ field: 'grant_type', message }]);
  }
  const [clientId, secret] = basicCredentials(authorization) ?? [
    form.get('client_id'),
    form.get('client_secret'),
  ];
  return { apiKey: secret ?? '', clientId, scope: form.get('scope') };
}

/** Id and secret of HTTP Basic, each form-encoded as RFC 6749 section 2.3.1 says. */
function basicCredentials(authorization: string | string[] | undefined): [string, string] | null {
  const encoded =
    typeof authorization === 'string' ? /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1] : undefined;
  if (encoded === undefined) return null;
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':');
  const [read] = [...new URLSearchParams(`${id}=${secret.join(':')}`)];
  return read ?? null;
}
