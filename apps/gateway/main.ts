import '@offizin/runtime/stop-during-start';
import { unanswered, Unreachable } from '@offizin/contracts/calls/errors';
import { gatewayOperations } from '@offizin/contracts/operations';
import { PROOF_KEYS_PATH } from '@offizin/contracts/requests/request-proof';
import { EdgeRuntime } from '@offizin/http-edge/edge-runtime';
import { createEdge } from '@offizin/http-edge/edge-server';
import { TrustedProxies } from '@offizin/http-edge/trusted-proxies';
import { runProcess } from '@offizin/runtime/process';
import { GatewayConfig } from './config';
import { ConsoleDoor, consoleRoutes } from './console/console-door';
import { CONSOLE_PATHS } from './console/console-files.handlers';
import { FRONT_PAGE_PATHS } from './front-page/front-page.handlers';
import { GatewayModule } from './gateway.module';
import { LiveHandlers } from './live/live.handlers';
import { REFERENCE_PAGE_PATHS } from './reference-page/reference-page.handlers';
import { OAUTH_METADATA_PATH } from './tokens/oauth';
import { readSigningKeys } from './tokens/access-token';

const NAME = 'gateway';
/** Paths besides the operations that the gateway answers itself; GET and HEAD only. */
const OWN_PATHS = [
  '/.well-known/jwks.json',
  OAUTH_METADATA_PATH,
  PROOF_KEYS_PATH,
  '/openapi/external-api.yaml',
  '/openapi/external-api.json',
  '/openapi/postman-collection.json',
  '/docs/openapi/external-api.yaml',
  '/docs/openapi/external-api.json',
  '/docs/openapi/postman-collection.json',
  ...FRONT_PAGE_PATHS,
  ...REFERENCE_PAGE_PATHS,
  ...CONSOLE_PATHS,
];

const TOO_MANY_REQUESTS = 'Too many requests with documents are in progress. Try again in a moment.';

void runProcess(NAME, GatewayConfig, async (config, management) => {
  const keys = readSigningKeys(config.tokenSigningKeys);
  const trusted = new TrustedProxies(config.trustedProxies);
  const parts = await EdgeRuntime.connect(NAME, config, unreachable);
  const { bus, proxy, directory, keyUses } = parts;
  const { replicas } = parts.presence;
  const consoleDoor = new ConsoleDoor({ config, bus, directory, replicas, trusted });
  const live = new LiveHandlers({ bus, directory, maxStreams: config.liveStreams });
  const edge = { config, keys, bus, proxy, directory, keyUses, replicas, consoleDoor, live, trusted };
  const module = GatewayModule.with(edge);
  const ownPaths = OWN_PATHS.map((path) => ({ method: 'GET' as const, path }));
  const routes = [...gatewayOperations, ...consoleRoutes, ...ownPaths];
  const app = await createEdge(module, routes, { limits: config, trusted });
  const running = await parts.serve(app, config, management, [consoleDoor.uses]);
  live.start();
  const drain = (): void => {
    live.drain();
    running.drain?.();
  };
  return { ...running, drain };
});

function unreachable(why: 'refused' | 'timeout' | 'busy', method?: string): Unreachable {
  if (why === 'busy') return new Unreachable('service_unavailable', TOO_MANY_REQUESTS);
  return why === 'timeout'
    ? unanswered(method)
    : new Unreachable('service_unavailable', 'order-core is unavailable. Try again in a moment.');
}
