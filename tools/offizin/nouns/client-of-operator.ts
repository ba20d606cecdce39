import type { Operation } from '@offizin/contracts/calls/operation';
import { Unreachable } from '@offizin/contracts/calls/errors';
import { pathParameters, pathPattern } from '@offizin/contracts/calls/path-template';
import { organizationOperations } from '@offizin/contracts/operations';
import { Offizin } from '../../../clients/typescript/src/client';
import type { Platform } from '../platform';

/** The client for an organization that the operator names: its calls go over the bus, and need no key. */
export function clientOf(platform: Platform, orgId: string): Offizin {
  const overBus: typeof fetch = async (input, init) => {
    const { method, headers, body } = init ?? {};
    const url = new URL(input instanceof Request ? input.url : input);
    // The operator has no token; the client asks for one all the same.
    if (url.pathname === '/auth/token')
      return Response.json({ access_token: 'operator', expires_in: 3600, org_id: orgId });
    const op = operationAt(method ?? 'GET', url.pathname);
    const key = new Headers(headers).get('idempotency-key');
    const call = {
      params: parametersOf(op, url.pathname),
      queryString: url.search.slice(1),
      headers: key === null ? {} : { 'idempotency-key': key },
      body: Buffer.from(typeof body === 'string' ? body : ''),
    };
    const answer = await platform.forward(orgId, op, call).catch((error: unknown) => {
      if (!(error instanceof Unreachable)) throw error;
      const content = JSON.stringify({ error: error.code, message: error.message });
      return { status: 503, headers: {}, body: content };
    });
    const text = Buffer.from(answer.body).toString();
    return new Response(text === '' ? null : text, { status: answer.status, headers: answer.headers });
  };
  const access = { baseUrl: 'http://bus.invalid', apiKey: 'operator' };
  return new Offizin({ ...access, fetch: overBus, retries: { maxRetries: 0 } });
}

/** A path without parameters goes before one that has some. */
function operationAt(method: string, path: string): Operation {
  const [found] = organizationOperations
    .filter((op) => op.method === method && pathPattern(op.path).test(path))
    .sort((one, other) => pathParameters(one.path).length - pathParameters(other.path).length);
  if (!found) throw new Error(`There is no operation ${method} ${path}.`);
  return found;
}

function parametersOf({ path: template }: Operation, path: string): Record<string, string> {
  const segments = path.split('/').map(decodeURIComponent);
  const named = template.split('/').map((part, place) => [part, segments[place] ?? ''] as const);
  const parameters = named.filter(([part]) => part.startsWith('{'));
  return Object.fromEntries(parameters.map(([part, value]) => [part.slice(1, -1), value]));
}
