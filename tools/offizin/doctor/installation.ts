import { databaseUrl, databaseRoles } from '@offizin/local-stack/database-roles';
import { databaseServices, type DatabaseService } from '@offizin/local-stack/secrets';
import { natsLoginOf, readRunningStack } from '../running-stack';

/** The parts to check; undefined ones are skipped. */
export interface Installation {
  broker: { natsUrl: string; natsUser: string; natsPassword: string } | undefined;
  databases: { service: DatabaseService; url: string }[];
  /** Management address of each process. */
  processes: { name: string; managementUrl: string }[];
  gatewayUrl: string | undefined;
  /** Folders whose disk must not run full. */
  folders: string[];
}

/** Variables by which an installation that is not on this machine is named. */
export const installationVariables = {
  NATS_URL: 'the broker, with NATS_USER and NATS_PASSWORD',
  ORDER_CORE_DATABASE_URL: 'DATABASE_URL of order-core',
  CATALOG_DATABASE_URL: 'DATABASE_URL of catalog',
  WEBHOOK_WORKER_DATABASE_URL: 'DATABASE_URL of webhook-worker',
  MANAGEMENT_URLS: 'management addresses of the processes, with commas between',
  PUBLIC_BASE_URL: 'address of the gateway',
};

export function installationFrom(environment: NodeJS.ProcessEnv): Installation {
  const { NATS_URL, NATS_USER = '', NATS_PASSWORD = '', MANAGEMENT_URLS = '', PUBLIC_BASE_URL } = environment;
  return {
    broker: NATS_URL ? { natsUrl: NATS_URL, natsUser: NATS_USER, natsPassword: NATS_PASSWORD } : undefined,
    databases: databaseServices.flatMap((service) => {
      const url = environment[`${service.toUpperCase().replaceAll('-', '_')}_DATABASE_URL`];
      return url ? [{ service, url }] : [];
    }),
    processes: MANAGEMENT_URLS.split(',')
      .filter((url) => url !== '')
      .map((url) => ({ name: url, managementUrl: url })),
    gatewayUrl: PUBLIC_BASE_URL || undefined,
    folders: [],
  };
}

/** The stack of `npm start`. Throws when none runs on the folder. */
export function localInstallation(dataDir: string): Installation {
  const { demo, secrets } = readRunningStack(dataDir);
  const database = decodeURIComponent(new URL(demo.database_url).pathname.slice(1));
  return {
    broker: natsLoginOf(demo.nats_url),
    databases: databaseServices.map((service) => ({
      service,
      url: databaseUrl(demo.database_url, database, {
        user: databaseRoles[service],
        password: secrets.databasePasswords[service],
      }),
    })),
    processes: Object.entries(demo.processes).flatMap(([name, { management_url }]) =>
      management_url ? [{ name, managementUrl: management_url }] : [],
    ),
    gatewayUrl: demo.base_url,
    folders: [dataDir],
  };
}
