import { readFileSync } from 'node:fs';
import type { AppName } from '@offizin/local-stack/apps';
import type { CallKeyPairs } from '@offizin/local-stack/call-keys';
import type { Secrets } from '@offizin/local-stack/secrets';

/** What `npm test` started for all tests: one stack of real processes. Written by tools/test. */
export interface TestEnvironment {
  baseUrl: string;
  connectorUrl: string;
  orderCoreUrl: string;
  /** Where /healthz, /readyz and /metrics of each process are. */
  managementUrls: Record<AppName, string>;
  adminDatabaseUrl: string;
  databaseUrls: { 'order-core': string; catalog: string; 'webhook-worker': string };
  databasePasswords: Secrets['databasePasswords'];
  natsUrl: string;
  natsUser: string;
  natsPassword: string;
  /** Of all users, for tests that attack with the rights of one of them. */
  natsPasswords: Secrets['natsPasswords'];
  /** The operator's setting CALL_KEYS. */
  callKeys: string;
  /** Keys of all pairs, for tests that forge. */
  allCallKeys: CallKeyPairs;
  idempotencySecrets: Secrets['idempotencySecrets'];
  /** Of the stack's token signing keys, for tests that forge. */
  tokenSigningKeys: string;
  dataDir: string;
}

export const ENVIRONMENT_FILE = 'OFFIZIN_TEST_ENVIRONMENT';

/** Throws when the test does not run under `npm test`. */
export function testEnvironment(): TestEnvironment {
  const file = process.env[ENVIRONMENT_FILE];
  if (!file)
    throw new Error('Run tests with `npm test -- <path>`: it starts the real servers that they need.');
  return JSON.parse(readFileSync(file, 'utf8')) as TestEnvironment;
}
