import { connectBus, pingBroker } from '@offizin/bus/connection';
import { Unreachable } from '@offizin/contracts/errors';
import { connectorOperations } from '@offizin/contracts/operations';
import { DirectoryReplica } from '@offizin/directory/replica';
import { CoreProxy } from '@offizin/http-edge/core-proxy';
import { createEdge } from '@offizin/http-edge/edge-server';
import { CallerTokens } from '@offizin/runtime/caller-token';
import { runProcess } from '@offizin/runtime/process';
import { ConnectorEdgeConfig } from './config';
import { ConnectorEdgeModule } from './connector-edge.module';

const NAME = 'connector-edge';

void runProcess(NAME, ConnectorEdgeConfig, async (config, management) => {
  const connection = await connectBus({ ...config, name: NAME });
  const directory = new DirectoryReplica(connection);
  const tokens = new CallerTokens(config.internalTokenSecret);
  const proxy = new CoreProxy({ target: config.orderCoreUrl, tokens, unreachable });
  const app = await createEdge(ConnectorEdgeModule.with({ proxy, directory }), connectorOperations);
  management.addCheck('bus', () => pingBroker(connection));
  management.addCheck('directory', () => directory.checkSynchronized());
  directory.start();
  await app.listen(config.port, config.bindAddress);
  return {
    stop: async () => {
      await app.close();
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
