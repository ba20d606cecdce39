/**
 * A real OpenID Connect provider with a client per argument. Runs in a separate process, because Jest cannot load ES modules.
 * Reads its clients as JSON from the arguments and prints its address. Each start listens on a free port.
 *
 * A person names the account in the form, or in the cookie `account`. An account is an e-mail address, verified unless
 * it begins with `unverified-`.
 */
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const clients = JSON.parse(process.argv[2] ?? '[]');
const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(address, {
  clients: clients.map(({ clientId, secret, redirectUri }) => ({
    ...{ client_id: clientId, client_secret: secret, redirect_uris: [redirectUri] },
  })),
  // The address is a claim of the token, as most providers have it.
  conformIdTokenClaims: false,
  claims: { openid: ['sub'], email: ['email', 'email_verified'] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  cookies: { keys: ['only for tests'] },
  pkce: { required: () => true },
  findAccount: (_, accountId) => ({
    accountId,
    claims: () => ({
      sub: accountId,
      email: accountId,
      email_verified: !accountId.startsWith('unverified-'),
    }),
  }),
  async loadExistingGrant({ oidc }) {
    const grant = new oidc.provider.Grant({
      clientId: oidc.client.clientId,
      accountId: oidc.session.accountId,
    });
    grant.addOIDCScope('openid email');
    await grant.save();
    return grant;
  },
});

const FORM = `<!doctype html><html lang="en"><title>Provider</title><main><h1>Provider</h1>
  <form method="post"><label>Account <input name="account" required></label> <button>Continue</button></form></main></html>`;

async function interact(request, response) {
  const account =
    /(?:^|; )account=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? (await postedAccount(request));
  if (account === null) return response.setHeader('content-type', 'text/html').end(FORM);
  const result =
    account === 'refuse' ? { error: 'access_denied' } : { login: { accountId: decodeURIComponent(account) } };
  await provider.interactionFinished(request, response, result);
}

async function postedAccount(request) {
  if (request.method !== 'POST') return null;
  let body = '';
  for await (const chunk of request) body += chunk;
  return new URLSearchParams(body).get('account');
}

const answer = provider.callback();
server.on('request', (request, response) => {
  // A browser asks for it; its absence would count as a fault of the page.
  if (request.url === '/favicon.ico') return response.writeHead(204).end();
  if (!request.url.startsWith('/interaction/')) return answer(request, response);
  interact(request, response).catch((error) => response.writeHead(500).end(String(error)));
});
process.stdout.write(`${address}\n`);
