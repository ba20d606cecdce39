import { readFileSync } from 'node:fs';
import type { AppName } from '@offizin/local-stack/apps';
import type { CallKeyPairs, Secrets } from '@offizin/local-stack/secrets';

/** The stack that `npm test` started for all tests. Written by tools/test. */
export interface TestEnvironment {
  baseUrl: string;
  connectorUrl: string;
  orderCoreUrl: string;
  /** Base URLs of /healthz, /readyz and /metrics. */
  managementUrls: Record<AppName, string>;
  adminDatabaseUrl: string;
  databaseUrls: { 'order-core': string; catalog: string; 'webhook-worker': string };
  databasePasswords: Secrets['databasePasswords'];
  natsUrl: string;
  natsUser: string;
  natsPassword: string;
  /** All users' passwords, for tests that attack with the rights of one. */
  natsPasswords: Secrets['natsPasswords'];
  /** The operator's setting CALL_KEYS. */
  callKeys: string;
  /** Keys of all pairs, for tests that forge. */
  allCallKeys: CallKeyPairs;
  idempotencySecrets: Secrets['idempotencySecrets'];
  /** The stack's token signing keys, for tests that forge. */
  tokenSigningKeys: string;
  dataDir: string;
  /** The browser of this run; null where no test of it needs one. */
  browserUrl: string | null;
}

export const ENVIRONMENT_FILE = 'OFFIZIN_TEST_ENVIRONMENT';

/** Throws outside of `npm test`. */
export function testEnvironment(): TestEnvironment {
  const file = process.env[ENVIRONMENT_FILE];
  if (!file)
    throw new Error('Run tests with `npm test -- <path>`: it starts the real servers that they need.');
  return JSON.parse(readFileSync(file, 'utf8')) as TestEnvironment;
}
