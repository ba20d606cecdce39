import { Refused } from '@offizin/contracts/calls/errors';
import { TokenRequest } from '@offizin/contracts/people/tokens';
import { parseStrictJson } from '@offizin/operations/strict-json';
import { validate } from '@offizin/operations/validate';

/** A token exchange request, independent of its three forms. */
export interface TokenAsk {
  apiKey: string;
  /** OAuth form only: the public id that must belong to the key. */
  clientId: string | null;
  scope: string | null;
}

/** All values of each header: Node's `headers` drops the second Authorization and joins other headers with commas. */
export type DistinctHeaders = NodeJS.Dict<string[]>;

interface Credential {
  place: string;
  apiKey: string;
  clientId: string | null;
}

const FORM = 'application/x-www-form-urlencoded';

/** True if the caller expects the errors of OAuth 2.0: it sends a form, or HTTP Basic. */
export function isOAuthRequest(headers: DistinctHeaders, mediaType: string | null): boolean {
  return mediaType === FORM || basicCredentials(headers['authorization']).length > 0;
}

/** Reads the three forms: JSON, key in a header with an empty body, OAuth 2.0 client credentials (RFC 6749 4.4). */
export function readTokenRequest(headers: DistinctHeaders, mediaType: string | null, body: Buffer): TokenAsk {
  const isForm = mediaType === FORM;
  const sent = isForm ? readForm(body) : readJson(body);
  const basic = basicCredentials(headers['authorization']);
  const credentials = [...(sent.credential ? [sent.credential] : []), ...basic, ...keyHeaders(headers)];
  const [credential, second] = credentials;
  if (credential && second) throw twice(credential.place, second.place);
  if (basic.length > 0 && !isForm) throw grantTypeMissing();
  if (!credential) return { apiKey: '', clientId: null, scope: sent.scope };
  const { apiKey } = credential;
  const clientId = credential.clientId ?? sent.clientId;
  if (sent.clientId !== null && clientId !== sent.clientId) throw twice('client_id', 'HTTP Basic');
  return { apiKey, clientId, scope: sent.scope };
}

/** Refuses credentials in two places, even equal ones: the service must not guess. */
function twice(first: string, second: string): Refused {
  const where = first === second ? `twice in ${first}` : `in ${first} and in ${second}`;
  return new Refused('invalid_request', `The request carries its credentials ${where}: send them once.`);
}

interface SentBody {
  credential: Credential | null;
  clientId: string | null;
  scope: string | null;
}

function readJson(body: Buffer): SentBody {
  if (body.length === 0) return { credential: null, clientId: null, scope: null };
  const { api_key: apiKey, scope = null } = validate(TokenRequest, parseStrictJson(body));
  const credential = apiKey === undefined ? null : { place: 'api_key', apiKey, clientId: null };
  return { credential, clientId: null, scope };
}

function readForm(body: Buffer): SentBody {
  const form = new URLSearchParams(body.toString());
  for (const field of form.keys()) {
    if (form.getAll(field).length === 1) continue;
    const message = 'must not be repeated';
    throw new Refused('invalid_request', `${field.slice(0, 100)} ${message}.`, [{ field, message }]);
  }
  const grantType = form.get('grant_type') ?? '';
  if (grantType === '') throw grantTypeMissing();
  if (grantType !== 'client_credentials') {
    throw new Refused('unsupported_grant_type', 'grant_type must be client_credentials.');
  }
  const [apiKey, clientId] = [form.get('client_secret'), form.get('client_id')];
  const credential = apiKey === null ? null : { place: 'client_secret', apiKey, clientId };
  return { credential, clientId, scope: form.get('scope') };
}

function grantTypeMissing(): Refused {
  const message = 'is required: send the form grant_type=client_credentials';
  return new Refused('invalid_request', `grant_type ${message}.`, [{ field: 'grant_type', message }]);
}

function keyHeaders(headers: DistinctHeaders): Credential[] {
  return (['x-api-key', 'apikey'] as const).flatMap((name) =>
    (headers[name] ?? []).map((apiKey) => ({ place: `the header ${name}`, apiKey, clientId: null })),
  );
}

/** Ids and secrets of HTTP Basic, each form-encoded as RFC 6749 section 2.3.1 requires. */
function basicCredentials(authorization: readonly string[] = []): Credential[] {
  return authorization.flatMap((value) => {
    const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(value)?.[1];
    if (encoded === undefined) return [];
    const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':');
    const [read] = [...new URLSearchParams(`${id}=${secret.join(':')}`)];
    return read ? [{ place: 'HTTP Basic', clientId: read[0], apiKey: read[1] }] : [];
  });
}
