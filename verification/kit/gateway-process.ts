import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AppName, type AppProcess, createApp, loopback } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { freePorts } from '@offizin/local-stack/ports';
import { readOrCreateSecrets } from '@offizin/local-stack/secrets';
import { testEnvironment } from './environment';

export interface GatewayProcess {
  url: string;
  /** Can be stopped and started again, at the same ports. */
  app: AppProcess;
  stop: () => Promise<void>;
}

/** Another gateway with its own settings; it issues tokens under the same address. */
export async function startGateway(extraEnv: Record<string, string>): Promise<GatewayProcess> {
  const environment = testEnvironment();
  const folder = mkdtempSync(join(tmpdir(), 'offizin-gateway-'));
  const [port = 0, managementPort = 0] = await freePorts(2);
  const { allCallKeys: callKeys, tokenSigningKeys } = environment;
  const orderCorePort = Number(new URL(environment.orderCoreUrl).port);
  const gateway = createApp('gateway', {
    dataDir: folder,
    appRoot: checkoutRoot,
    ports: { gateway: port, 'connector-edge': 0, 'order-core': orderCorePort },
    management: { ...managementPorts(), gateway: managementPort },
    natsUrl: environment.natsUrl,
    natsLogin: () => ({ user: environment.natsUser, password: environment.natsPassword }),
    databaseUrls: environment.databaseUrls,
    secrets: { ...readOrCreateSecrets(folder), callKeys, tokenSigningKeys },
    extraEnv: { gateway: { PUBLIC_BASE_URL: environment.baseUrl, ...extraEnv } },
  });
  const stop = (): Promise<void> => gateway.stop();
  try {
    await gateway.start();
    await gateway.ready();
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: loopback(port), app: gateway, stop };
}

function managementPorts(): Record<AppName, number> {
  return { gateway: 0, 'connector-edge': 0, 'order-core': 0, catalog: 0, 'webhook-worker': 0 };
}
