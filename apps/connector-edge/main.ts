import { Bus } from '@offizin/bus/bus';
import { connectBus, pingBroker } from '@offizin/bus/connection';
import { Presence } from '@offizin/bus/presence';
import { serviceCaller } from '@offizin/contracts/caller';
import { keysUsed } from '@offizin/contracts/directory';
import { Unreachable } from '@offizin/contracts/errors';
import { connectorOperations } from '@offizin/contracts/operations';
import { KeyUses } from '@offizin/directory/key-uses';
import { DirectoryReplica } from '@offizin/directory/replica';
import { CoreProxy } from '@offizin/http-edge/core-proxy';
import { createEdge } from '@offizin/http-edge/edge-server';
import { RateLimiter } from '@offizin/http-edge/rate-limiter';
import { CallerTokens } from '@offizin/runtime/caller-token';
import { runProcess } from '@offizin/runtime/process';
import { newRequestId } from '@offizin/runtime/request-id';
import { ConnectorEdgeConfig } from './config';
import { ConnectorEdgeModule } from './connector-edge.module';

const NAME = 'connector-edge';
/** Nobody waits for it but a process that stops. */
const KEY_USES_TIMEOUT_MS = 2_000;

void runProcess(NAME, ConnectorEdgeConfig, async (config, management) => {
  const connection = await connectBus({ ...config, name: NAME });
  const directory = new DirectoryReplica(connection);
  const tokens = new CallerTokens(config.internalTokenSecret);
  const proxy = new CoreProxy({ target: config.orderCoreUrl, tokens, unreachable });
  const bus = new Bus(connection, tokens);
  const presence = new Presence(connection, NAME);
  const keyUses = new KeyUses((uses) =>
    bus.call(keysUsed, serviceCaller(NAME, newRequestId()), { uses }, KEY_USES_TIMEOUT_MS),
  );
  const rate = { perSecond: config.ratePerSecond, burst: config.rateBurst };
  const limiter = new RateLimiter(rate, presence.replicas);
  const module = ConnectorEdgeModule.with({ proxy, directory, keyUses, limiter });
  const app = await createEdge(module, connectorOperations);
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

/** However core fails to answer, the contract knows one word for it. */
function unreachable(): Unreachable {
  return new Unreachable(
    'core_unreachable',
    'The shop could not reach the core service. Send the request again with the same external_reference.',
  );
}
