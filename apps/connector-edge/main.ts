import '@offizin/runtime/stop-during-start';
import { Unreachable } from '@offizin/contracts/calls/errors';
import { connectorOperations } from '@offizin/contracts/operations';
import { EdgeRuntime } from '@offizin/http-edge/edge-runtime';
import { createEdge } from '@offizin/http-edge/edge-server';
import { TrustedProxies } from '@offizin/http-edge/trusted-proxies';
import { runProcess } from '@offizin/runtime/process';
import { ConnectorEdgeConfig } from './config';
import { ConnectorEdgeModule } from './connector-edge.module';

const NAME = 'connector-edge';
/** Of one integration key, over all replicas together. */
const ASSORTMENT_RATE = { perSecond: 10, burst: 10 };

void runProcess(NAME, ConnectorEdgeConfig, async (config, management) => {
  const trusted = new TrustedProxies(config.trustedProxies);
  const parts = await EdgeRuntime.connect(NAME, config, unreachable);
  const { proxy, directory, keyUses } = parts;
  const rate = { perSecond: config.ratePerSecond, burst: config.rateBurst };
  const limits = { rate, assortmentRate: ASSORTMENT_RATE, replicas: parts.presence.replicas };
  const module = ConnectorEdgeModule.with({ proxy, directory, keyUses, ...limits });
  const app = await createEdge(module, connectorOperations, { limits: config, trusted });
  // Without order-core it can do nothing; the gateway also serves calls of other services.
  management.addCheck('order-core', () => proxy.checkCoreReached());
  return parts.serve(app, config, management);
});

/** The connector's contract has one code for every failure of order-core to answer. */
function unreachable(why: 'refused' | 'timeout' | 'busy'): Unreachable {
  const reason =
    why === 'busy' ? 'Too many requests are in progress.' : 'The shop could not reach the core service.';
  return new Unreachable(
    'core_unreachable',
    `${reason} Send the request again with the same external_reference.`,
  );
}
