import { Bus } from '@offizin/bus/bus';
import { connectBus, pingBroker } from '@offizin/bus/connection';
import { Presence } from '@offizin/bus/presence';
import { serviceCaller } from '@offizin/contracts/caller';
import { keysUsed } from '@offizin/contracts/directory';
import { Unreachable } from '@offizin/contracts/errors';
import { gatewayOperations } from '@offizin/contracts/operations';
import { KeyUses } from '@offizin/directory/key-uses';
import { DirectoryReplica } from '@offizin/directory/replica';
import { CoreProxy } from '@offizin/http-edge/core-proxy';
import { createEdge } from '@offizin/http-edge/edge-server';
import { CallerTokens } from '@offizin/runtime/caller-token';
import { runProcess } from '@offizin/runtime/process';
import { newRequestId } from '@offizin/runtime/request-id';
import { GatewayConfig } from './config';
import { GatewayModule } from './gateway.module';
import { REFERENCE_PAGE_PATHS } from './reference-page/reference-page.handlers';
import { readSigningKeys } from './tokens/signing-keys';

const NAME = 'gateway';
/** What the gateway answers itself, beside the operations; all by GET. */
const OWN_PATHS = [
  '/.well-known/jwks.json',
  '/openapi/external-api.yaml',
  '/openapi/external-api.json',
  ...REFERENCE_PAGE_PATHS,
];
/** Nobody waits for it but a process that stops. */
const KEY_USES_TIMEOUT_MS = 2_000;

void runProcess(NAME, GatewayConfig, async (config, management) => {
  const keys = readSigningKeys(config.tokenSigningKeys);
  const connection = await connectBus({ ...config, name: NAME });
  const tokens = new CallerTokens(config.internalTokenSecret);
  const directory = new DirectoryReplica(connection);
  const proxy = new CoreProxy({ target: config.orderCoreUrl, tokens, unreachable });
  const bus = new Bus(connection, tokens);
  const presence = new Presence(connection, NAME);
  const keyUses = new KeyUses((uses) =>
    bus.call(keysUsed, serviceCaller(NAME, newRequestId()), { uses }, KEY_USES_TIMEOUT_MS),
  );
  const { replicas } = presence;
  const module = GatewayModule.with({ config, keys, bus, proxy, directory, keyUses, replicas });
  const { trustedProxies } = config;
  const app = await createEdge(
    module,
    [...gatewayOperations, ...OWN_PATHS.map((path) => ({ method: 'GET' as const, path }))],
    { trustedProxies },
  );
  management.addCheck('bus', () => pingBroker(connection));
  management.addCheck('directory', () => directory.checkSynchronized());
  directory.start();
  await directory.untilSynchronized();
  presence.start();
  keyUses.start();
  await app.listen(config.port, config.bindAddress);
  return {
    stop: async () => {
      await app.close();
      await keyUses.stop();
      presence.stop();
      directory.stop();
      proxy.close();
      await connection.drain();
    },
  };
});

function unreachable(why: 'refused' | 'timeout'): Unreachable {
  return why === 'timeout'
    ? new Unreachable(
        'timeout',
        'order-core did not answer in time. Whether it took effect is unknown: repeat.',
      )
    : new Unreachable('service_unavailable', 'order-core is not there now. Try again in a moment.');
}
