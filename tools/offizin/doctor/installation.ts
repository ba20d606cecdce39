import type { BrokerAddress } from '@offizin/bus/connection';
import { databaseRoles, databaseUrl, sharedPasswords } from '@offizin/local-stack/database-roles';
import { databaseServices, type DatabaseService } from '@offizin/local-stack/secrets';
import { brokerMistakes } from '@offizin/runtime/process-config';
import { CertificatesFileSetting, readConfig, settingsOf, TextSetting } from '@offizin/runtime/config';
import {
  type DocumentStoreSettings,
  storeMistakes,
  storeSettings,
} from '../../../apps/order-core/documents/documents/document-store-settings';
import { brokerOf, readRunningStack } from '../running-stack';

export interface ServiceDatabase {
  service: DatabaseService;
  url: string;
  /** Of the standby that the service reads from. */
  readUrl?: string;
}

/** The parts to check; undefined ones are skipped. */
export interface Installation {
  broker: BrokerAddress | undefined;
  databases: ServiceDatabase[];
  /** Management address of each process. */
  processes: { name: string; managementUrl: string }[];
  gatewayUrl: string | undefined;
  documentStore: DocumentStoreSettings | undefined;
  /** Folders whose disk must not run full. */
  folders: string[];
}

/** How the doctor finds an installation that is not on this machine. None is needed. */
class InstallationConfig {
  @AbsentSetting('NATS_URL', 'the broker') readonly natsUrl!: string;
  @AbsentSetting('NATS_USER', 'its user') readonly natsUser!: string;
  @AbsentSetting('NATS_PASSWORD', 'its password', { secret: true }) readonly natsPassword!: string;
  @CertificatesFileSetting('NATS_TLS_CA_FILE', { description: 'its certificate authority' })
  readonly natsTlsCaFile!: string;
  @AbsentSetting('ORDER_CORE_DATABASE_URL', 'DATABASE_URL of order-core', { secret: true })
  readonly orderCore!: string;
  @AbsentSetting('ORDER_CORE_DATABASE_READ_URL', 'its DATABASE_READ_URL', { secret: true })
  readonly orderCoreReads!: string;
  @AbsentSetting('CATALOG_DATABASE_URL', 'DATABASE_URL of catalog', { secret: true })
  readonly catalog!: string;
  @AbsentSetting('WEBHOOK_WORKER_DATABASE_URL', 'DATABASE_URL of webhook-worker', { secret: true })
  readonly webhookWorker!: string;
  @AbsentSetting('MANAGEMENT_URLS', 'management addresses of the processes, with commas between')
  readonly managementUrls!: string;
  @AbsentSetting('PUBLIC_BASE_URL', 'address of the gateway') readonly publicBaseUrl!: string;
  @AbsentSetting('DOCUMENT_STORE_URL', 'bucket of order-core') readonly documentStoreUrl!: string;
  @TextSetting('DOCUMENT_STORE_REGION', { default: 'us-east-1', description: 'its region' })
  readonly documentStoreRegion!: string;
  @AbsentSetting('DOCUMENT_STORE_ACCESS_KEY_ID', 'its access key', { secret: true })
  readonly documentStoreAccessKeyId!: string;
  @AbsentSetting('DOCUMENT_STORE_SECRET_ACCESS_KEY', 'its secret', { secret: true })
  readonly documentStoreSecretAccessKey!: string;

  mistakes(): string[] {
    return [...brokerMistakes(this), ...storeMistakes(this)];
  }
}

/** Empty unless set. A secret may also come from `<NAME>_FILE`. */
function AbsentSetting(name: string, description: string, { secret = false } = {}) {
  return TextSetting(name, { default: '', minLength: 0, secret, description });
}

/** Names and meanings. */
export function installationVariables(): string[] {
  return settingsOf(InstallationConfig).map(
    ({ environment, description }) => `${environment} (${description})`,
  );
}

/** Throws when the file of a secret cannot be read. */
export function installationFrom(environment: NodeJS.ProcessEnv): Installation {
  const config = readConfig(InstallationConfig, environment);
  const { natsUrl, natsUser, natsPassword, natsTlsCaFile, managementUrls, publicBaseUrl, ...urls } = config;
  const databases = [
    {
      service: 'order-core' as const,
      url: urls.orderCore,
      ...(urls.orderCoreReads && { readUrl: urls.orderCoreReads }),
    },
    { service: 'catalog' as const, url: urls.catalog },
    { service: 'webhook-worker' as const, url: urls.webhookWorker },
  ];
  return {
    broker: natsUrl ? { natsUrl, natsUser, natsPassword, natsTlsCaFile } : undefined,
    databases: databases.filter(({ url }) => url !== ''),
    processes: managementUrls
      .split(',')
      .filter((url) => url !== '')
      .map((url) => ({ name: url, managementUrl: url })),
    gatewayUrl: publicBaseUrl || undefined,
    documentStore: storeSettings(config) ?? undefined,
    folders: [],
  };
}

/** The stack of `npm start`; its bucket, if it has one, from the environment. Throws when none runs on the folder. */
export function localInstallation(dataDir: string, environment: NodeJS.ProcessEnv): Installation {
  const { demo, secrets } = readRunningStack(dataDir);
  const database = decodeURIComponent(new URL(demo.database_url).pathname.slice(1));
  // A PostgreSQL of the user's own has other passwords (stack.ts).
  const isOwn = 'postgres' in demo.processes;
  const passwords = isOwn ? secrets.databasePasswords : sharedPasswords(demo.database_url, secrets);
  return {
    broker: brokerOf(demo),
    databases: databaseServices.map((service) => ({
      service,
      url: databaseUrl(demo.database_url, database, {
        user: databaseRoles[service],
        password: passwords[service],
      }),
    })),
    processes: Object.entries(demo.processes).flatMap(([name, { management_url }]) =>
      management_url ? [{ name, managementUrl: management_url }] : [],
    ),
    gatewayUrl: demo.base_url,
    documentStore: installationFrom(environment).documentStore,
    folders: [dataDir],
  };
}
