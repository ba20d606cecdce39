import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { deprecationsOfAnswers } from '@offizin/contracts/deprecated-fields';
import { type Deprecation, deprecationHeaders } from '@offizin/contracts/deprecation';
import { routerPath } from '@offizin/contracts/path-template';
import type { KnownRoute } from './contract-errors';

/**
 * Every answer of a deprecated operation, refusals of the guards included, carries its headers. They are
 * made once; other routes get no hook.
 */
export function announceDeprecations(server: FastifyInstance, routes: readonly KnownRoute[]): void {
  const hooks = new Map<string, onRequestHookHandler>();
  for (const { method, path, deprecated = null, reply = null, waitingReply = null } of routes) {
    const ending = deprecationsOfAnswers({ deprecated, reply, waitingReply });
    if (ending.length > 0) hooks.set(`${method} ${routerPath(path)}`, hookOf(ending));
  }
  if (hooks.size === 0) return;
  server.addHook('onRoute', (route) => {
    const hook = hooks.get(`${String(route.method)} ${route.url}`);
    if (hook) route.onRequest = hook;
  });
}

function hookOf(ending: readonly Deprecation[]): onRequestHookHandler {
  const headers = Object.entries(deprecationHeaders(ending));
  return (_request, { raw }, done) => {
    // On the raw response, so that proxied answers carry them as well.
    for (const [name, value] of headers) raw.setHeader(name, value);
    done();
  };
}
