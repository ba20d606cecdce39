import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { seedDemo } from '../demo/seed';
import { writeDemoFile } from '../up/demo-file';

/**
 * Inside a container that shares the worker's network: demo data and the smoke walk, as against `npm start`. The argument
 * is the folder that keeps both for the next walk.
 */
const GATEWAY = 'http://gateway:3000';
const CONNECTOR = 'http://connector-edge:3001';

async function main(folder: string): Promise<void> {
  const secret = (name: string): string =>
    readFileSync(join(checkoutRoot, 'deploy', 'secrets', name), 'utf8').trim();
  const organizations = await seedDemo({
    dataDir: folder,
    urls: { gateway: GATEWAY, connectorEdge: CONNECTOR },
    operator: {
      natsUrl: 'nats://nats:4222',
      natsUser: 'operator',
      natsPassword: secret('NATS_OPERATOR_PASSWORD'),
      callKeys: secret('OPERATOR_CALL_KEYS'),
    },
  });
  const pid = Number(readFileSync(join(folder, 'order-core.pid'), 'utf8'));
  writeDemoFile(folder, {
    base_url: GATEWAY,
    shop_url: CONNECTOR,
    docs_url: `${GATEWAY}/docs`,
    console_url: `${GATEWAY}/console`,
    database_url: '',
    nats_url: '',
    organizations,
    processes: { 'order-core': { pid } },
  });
  const smoke = join(checkoutRoot, 'dist', 'tools', 'smoke', 'main.js');
  execFileSync(process.execPath, [smoke, '--data-dir', folder], { stdio: 'inherit' });
}

main(process.argv[2] ?? '').catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
});
