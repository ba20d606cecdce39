import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AppName, appNames } from '@offizin/local-stack/apps';
import { callKeysOf } from '@offizin/local-stack/secrets';
import { startStack, type Stack } from '@offizin/local-stack/stack';
import { startBrowser } from '@offizin/testkit/browser/browser-server';
import { presentChromium } from '@offizin/testkit/browser/find-chromium';
import { eventsOfStack } from '@offizin/testkit/described-events';
import { DOCUMENT_SERVER_CERTIFICATE } from '@offizin/testkit/document-server';
import type { TestEnvironment } from '@offizin/testkit/environment';
import { withGenerousLimits } from '@offizin/testkit/own-stack';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { onStop, publish, serverFolder, stopAll } from './run-folder';

const READY_LIMIT_MS = 60_000;
const MISTAKES_SHOWN = 5;
/** Set by `npm test`: no selected spec needs a browser. */
export const WITHOUT_BROWSER = 'OFFIZIN_TEST_WITHOUT_BROWSER';

/** The report on the service fee needs values; by default the fee is zero. */
const serviceFee = {
  SERVICE_FEE_BASE_EUR: '49.90',
  SERVICE_FEE_PER_ORDER_EUR: '0.15',
  SERVICE_FEE_PER_CENT: '1.5',
};

/** Jest's globalSetup of the stories: one stack of real processes on free ports, and one browser, for all of them. */
export default async function startSharedStack(): Promise<void> {
  try {
    await start();
  } catch (error) {
    // Jest does not call its globalTeardown then.
    await stopAll();
    throw error;
  }
}

async function start(): Promise<void> {
  const dataDir = serverFolder('stack');
  // Prescriptions are fetched over https only: order-core trusts the tests' own server.
  const certificateFile = join(dataDir, 'document-server.pem');
  writeFileSync(certificateFile, DOCUMENT_SERVER_CERTIFICATE);
  // The level of the specs is not that of the stack's processes, whose logs specs read.
  const { LOG_LEVEL } = process.env;
  delete process.env['LOG_LEVEL'];
  const stack = await startStack({
    dataDir,
    ports: 'free',
    restart: true,
    disposable: true,
    readyLimitMs: READY_LIMIT_MS * SLOWNESS,
    extraEnv: withGenerousLimits({ 'order-core': { NODE_EXTRA_CA_CERTS: certificateFile, ...serviceFee } }),
  });
  if (LOG_LEVEL) process.env['LOG_LEVEL'] = LOG_LEVEL;
  onStop(() => stack.stop());
  onStop(() => checkEvents(stack.databaseUrls['webhook-worker']));
  const chromium = process.env[WITHOUT_BROWSER] === 'true' ? undefined : presentChromium();
  const browser = chromium === undefined ? null : await startBrowser(chromium, dataDir);
  if (browser) onStop(() => browser.stop());
  publish(dataDir, environmentOf(stack, browser?.url ?? null));
}

/** All events that the stories made happen, against the catalogue of kinds. */
async function checkEvents(databaseUrl: string): Promise<void> {
  const { counts, mistakes } = await eventsOfStack(databaseUrl);
  const events = Object.values(counts).reduce((total, count) => total + count, 0);
  console.log(`${events} events of ${Object.keys(counts).length} kinds, ${mistakes.length} not as described`);
  if (mistakes.length > 0)
    throw new Error(`Events are not as described:\n${mistakes.slice(0, MISTAKES_SHOWN).join('\n')}`);
}

function environmentOf(stack: Stack, browserUrl: string | null): TestEnvironment {
  const managementUrls = Object.fromEntries(
    appNames.map((app) => [app, stack.apps[app].managementUrl]),
  ) as Record<AppName, string>;
  const { urls, secrets, natsOperator, databaseUrls, adminDatabaseUrl, dataDir } = stack;
  return {
    baseUrl: urls.gateway,
    connectorUrl: urls.connectorEdge,
    orderCoreUrl: urls.orderCore,
    managementUrls,
    adminDatabaseUrl,
    databaseUrls,
    databasePasswords: secrets.databasePasswords,
    natsUrl: natsOperator.url,
    natsUser: natsOperator.user ?? '',
    natsPassword: natsOperator.password ?? '',
    natsPasswords: secrets.natsPasswords,
    allCallKeys: secrets.callKeys,
    callKeys: callKeysOf('operator', secrets.callKeys),
    idempotencySecrets: secrets.idempotencySecrets,
    tokenSigningKeys: secrets.tokenSigningKeys,
    dataDir,
    browserUrl,
  };
}
