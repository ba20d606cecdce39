import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { checkoutRoot } from '@offizin/local-stack/checkout';

export interface UpOptions {
  fresh: boolean;
  restart: boolean;
  cluster: boolean;
  /** No new order request each minute. */
  quiet: boolean;
  dataDir: string;
  /** Folder that holds dist/apps, for trying other builds. */
  appRoot?: string;
}

const PORTS = `
Ports: GATEWAY_PORT 3000, CONNECTOR_PORT 3001, ORDER_CORE_PORT 3010, MANAGEMENT_PORT_BASE 9100,
POSTGRES_PORT and NATS_PORT (else free ones). Servers of your own: DATABASE_URL, NATS_URL.
`;

export function readOptions(): UpOptions {
  const options = upCommand().parse().opts<Omit<UpOptions, 'dataDir'> & { dataDir?: string }>();
  const dataDir = resolve(options.dataDir || process.env.OFFIZIN_DATA_DIR || join(checkoutRoot, '.data'));
  return { ...options, dataDir, appRoot: options.appRoot && resolve(options.appRoot) };
}

/** tools/up/help.txt, which tools/bootstrap.mjs prints before anything is installed. */
export function helpText(): string {
  return upCommand().helpInformation() + PORTS;
}

function upCommand(): Command {
  return new Command('npm start --')
    .configureHelp({ helpWidth: 100 })
    .description('Starts the whole of Offizin on this machine and stays in the foreground.')
    .option('--fresh', 'wipe the data folder first', false)
    .option('--no-restart', 'leave a process that dies dead')
    .option('--cluster', 'three NATS servers and two replicas of each app', false)
    .option('--quiet', 'no new order request each minute', false)
    .option('--data-dir <folder>', 'where data stays (OFFIZIN_DATA_DIR, else .data in the checkout)')
    .option('--app-root <folder>', 'folder that holds dist/apps; the checkout unless given');
}
