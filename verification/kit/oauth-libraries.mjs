/**
 * Client credentials with three stock OAuth 2.0 libraries. Runs in a separate process, because Jest cannot load ES
 * modules. Reads an OAuthAsk (oauth-client.ts) as JSON from the arguments and prints an OAuthOutcome.
 */
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client-6';
import simple from 'simple-oauth2';

const ask = JSON.parse(process.argv[2] ?? '');
const { issuer, clientId, secret, method, grantType } = ask;
const parameters = ask.scope === undefined ? {} : { scope: ask.scope };
const isBasic = method === 'client_secret_basic';

/** The installation under test answers on plain HTTP. */
const insecure = { [oauth.allowInsecureRequests]: true };

const LIBRARIES = {
  async oauth4webapi() {
    const url = new URL(issuer);
    const found = await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...insecure });
    const server = await oauth.processDiscoveryResponse(url, found);
    const client = { client_id: clientId };
    const authentication = isBasic ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret);
    const response = await (grantType === undefined
      ? oauth.clientCredentialsGrantRequest(server, client, authentication, parameters, insecure)
      : oauth.genericTokenEndpointRequest(server, client, authentication, grantType, parameters, insecure));
    return oauth.processClientCredentialsResponse(server, client, response);
  },

  async 'openid-client'() {
    const authentication = isBasic ? openid.ClientSecretBasic(secret) : openid.ClientSecretPost(secret);
    const config = await openid.discovery(new URL(issuer), clientId, undefined, authentication, {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });
    return grantType === undefined
      ? openid.clientCredentialsGrant(config, parameters)
      : openid.genericGrantRequest(config, grantType, parameters);
  },

  /** Has no discovery: the endpoint is read from the metadata. */
  async 'simple-oauth2'() {
    const metadata = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json();
    const { origin, pathname } = new URL(metadata.token_endpoint);
    const client = new simple.ClientCredentials({
      client: { id: clientId, secret },
      auth: { tokenHost: origin, tokenPath: pathname },
      options: { authorizationMethod: isBasic ? 'header' : 'body' },
    });
    return (await client.getToken({ ...parameters, ...(grantType && { grant_type: grantType }) })).token;
  },
};

/** The error object of the server, wherever the library puts it. */
async function refusalOf(error) {
  if (error.response instanceof Response && !error.response.bodyUsed) return error.response.json();
  return error.cause ?? error.data?.payload;
}

try {
  const { access_token, scope, expires_in } = await LIBRARIES[ask.library]();
  process.stdout.write(JSON.stringify({ access_token, scope, expires_in }));
} catch (error) {
  const refusal = await refusalOf(error);
  if (typeof refusal?.error !== 'string') throw error;
  process.stdout.write(JSON.stringify(refusal));
}
