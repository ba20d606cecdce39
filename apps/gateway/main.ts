import { Bus } from '@offizin/bus/bus';
import { connectBus, pingBroker } from '@offizin/bus/connection';
import { Unreachable } from '@offizin/contracts/errors';
import { gatewayOperations } from '@offizin/contracts/operations';
import { DirectoryReplica } from '@offizin/directory/replica';
import { CoreProxy } from '@offizin/http-edge/core-proxy';
import { createEdge } from '@offizin/http-edge/edge-server';
import { CallerTokens } from '@offizin/runtime/caller-token';
import { runProcess } from '@offizin/runtime/process';
import { GatewayConfig } from './config';
import { GatewayModule } from './gateway.module';
import { readSigningKeys } from './tokens/signing-keys';

const NAME = 'gateway';

void runProcess(NAME, GatewayConfig, async (config, management) => {
  const keys = readSigningKeys(config.tokenSigningKeys);
  const connection = await connectBus({ ...config, name: NAME });
  const tokens = new CallerTokens(config.internalTokenSecret);
  const directory = new DirectoryReplica(connection);
  const proxy = new CoreProxy({ target: config.orderCoreUrl, tokens, unreachable });
  const bus = new Bus(connection, tokens);
  const module = GatewayModule.with({ config, keys, bus, proxy, directory });
  const app = await createEdge(module, gatewayOperations);
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

function unreachable(why: 'refused' | 'timeout'): Unreachable {
  return why === 'timeout'
    ? new Unreachable(
        'timeout',
        'order-core did not answer in time. Whether it took effect is unknown: repeat.',
      )
    : new Unreachable('service_unavailable', 'order-core is not there now. Try again in a moment.');
}
