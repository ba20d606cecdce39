import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type AppName, appNames } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { callKeysOf } from '@offizin/local-stack/call-keys';
import { startStack, type Stack } from '@offizin/local-stack/stack';
import { type BrowserServer, startBrowser } from '@offizin/testkit/browser/browser-server';
import { eventsOfStack } from '@offizin/testkit/described-events';
import { DOCUMENT_SERVER_CERTIFICATE } from '@offizin/testkit/document-server';
import { ENVIRONMENT_FILE, type TestEnvironment } from '@offizin/testkit/environment';
import { withGenerousLimits } from '@offizin/testkit/generous-limits';
import { BROWSER_SPEC, findBrowser, type FoundBrowser } from './browser';
import { type JestFile, lateFiles, type Outcome, outcomeOf, readJestFiles } from './jest-outcome';

/** The report on the service fee needs values; by default the fee is zero. */
const serviceFee = {
  SERVICE_FEE_BASE_EUR: '49.90',
  SERVICE_FEE_PER_ORDER_EUR: '0.15',
  SERVICE_FEE_PER_CENT: '1.5',
};

const CHECKS: { name: string; command: [string, ...string[]] }[] = [
  { name: 'tidy', command: [process.execPath, 'dist/tools/tidy/main.js'] },
  // Of the two pages for browsers, too.
  { name: 'type check', command: ['npm', 'run', '--silent', 'typecheck'] },
  { name: 'lint', command: ['npx', 'eslint', '.'] },
  { name: 'format', command: ['npx', 'prettier', '--check', '--log-level', 'warn', '.'] },
];

/**
 * `npm test [-- <paths>]`: unit, database and end-to-end tests against one stack of real processes. The stack has free
 * ports and a temporary folder, which is deleted afterwards. Static checks run at the same time with a low priority. Ends
 * with a line `N passed, N failed`. With paths only those tests run, and no static checks.
 */
async function main(paths: string[]): Promise<void> {
  const startedAt = performance.now();
  const browser = findBrowser(paths);
  const [checked, tested] = await Promise.all([
    paths.length === 0 ? runChecks() : [],
    runTests(paths, browser),
  ]);
  const { passed, failed } = sum([...checked, tested, missingBrowser(await browser)]);
  console.log(`\nin ${Math.round((performance.now() - startedAt) / 1000)} s`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}

/** A machine without a browser may test the rest; continuous integration must have one. */
function missingBrowser(browser: FoundBrowser): Outcome {
  if (browser === 'unneeded' || 'path' in browser) return { passed: 0, failed: 0 };
  const fails = process.env['CI'] === 'true';
  console.log(`${fails ? 'FAIL' : 'SKIP'} tests in a browser: ${browser.missing}`);
  return { passed: 0, failed: fails ? 1 : 0 };
}

/** One after the other and at a low priority: tests that wait for a process, a lock or a browser leave time. */
async function runChecks(): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const check of CHECKS) outcomes.push(await runCheck(check));
  return outcomes;
}

async function runCheck({ name, command }: (typeof CHECKS)[number]): Promise<Outcome> {
  const startedAt = performance.now();
  const code = await run(command, {}, constants.priority.PRIORITY_LOW);
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${Math.round(performance.now() - startedAt)} ms)`);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function runTests(paths: string[], searchedBrowser: Promise<FoundBrowser>): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'offizin-test-'));
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  let stack: Stack | undefined;
  let browser: BrowserServer | undefined;
  // Prescriptions are fetched over https only: order-core trusts the tests' own server.
  const certificateFile = join(folder, 'document-server.pem');
  writeFileSync(certificateFile, DOCUMENT_SERVER_CERTIFICATE);
  try {
    stack = await startStack({
      dataDir: folder,
      ports: 'free',
      restart: true,
      signal: controller.signal,
      extraEnv: withGenerousLimits({
        'order-core': { NODE_EXTRA_CA_CERTS: certificateFile, ...serviceFee },
      }),
    });
    const found = await searchedBrowser;
    if (found !== 'unneeded' && 'path' in found) browser = await startBrowser(found.path, folder);
    const environmentFile = join(folder, 'environment.json');
    const environment = environmentOf(stack, browser?.url ?? null);
    writeFileSync(environmentFile, JSON.stringify(environment), { mode: 0o600 });
    const leftOut = [...(browser ? [] : [BROWSER_SPEC]), ...(namesSlowSpec(paths) ? [] : [SLOW_SPEC])];
    const tested = await runSpecs([...without(leftOut), '--', ...paths], environmentFile);
    return sum([tested, await eventsAsDescribed(stack.databaseUrls['webhook-worker'])]);
  } finally {
    await browser?.stop();
    await stack?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In the names of the specs that take minutes. They run when they are named, as by `.ci/nightly`. */
const SLOW_SPEC = '.slow.';

function namesSlowSpec(paths: string[]): boolean {
  return paths.some((path) => path.includes('.slow'));
}

/** Jest's arguments that leave out the spec files whose name holds one of these. */
function without(parts: string[]): string[] {
  const patterns = ['/node_modules/', ...parts.map((part) => part.replaceAll('.', String.raw`\.`))];
  return ['--passWithNoTests', `--testPathIgnorePatterns=${patterns.join('|')}`];
}

/** All spec files beside each other; then those that missed nothing but a limit of time, with nothing beside them. */
async function runSpecs(selection: string[], environmentFile: string): Promise<Outcome> {
  const files = await runJest(selection, environmentFile);
  // A run without a result is a failure.
  if (!files) return { passed: 0, failed: 1 };
  const late = lateFiles(files);
  if (late.length === 0) return outcomeOf(files);
  const names = late.map(({ name }) => name);
  console.log(`\nonly a limit of time was missed, so once more and alone:\n  ${names.join('\n  ')}`);
  const again = await runJest(['--runInBand', '--runTestsByPath', ...names], environmentFile);
  return sum([
    outcomeOf(files.filter((file) => !late.includes(file))),
    again ? outcomeOf(again) : { passed: 0, failed: 1 },
  ]);
}

async function runJest(selection: string[], environmentFile: string): Promise<JestFile[] | null> {
  const resultFile = join(dirname(environmentFile), 'jest.json');
  rmSync(resultFile, { force: true });
  await run(['npx', 'jest', '--json', '--outputFile', resultFile, ...selection], {
    [ENVIRONMENT_FILE]: environmentFile,
    // Of the code that runs inside a spec; the stack's processes log to files, at their own level.
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
  });
  return readJestFiles(resultFile);
}

const MISTAKES_SHOWN = 5;

/** All events that the tests made happen, against the catalogue of kinds. Without any there is nothing to count. */
async function eventsAsDescribed(databaseUrl: string): Promise<Outcome> {
  const { counts, mistakes } = await eventsOfStack(databaseUrl);
  const events = Object.values(counts).reduce((total, count) => total + count, 0);
  if (events === 0) return { passed: 0, failed: 0 };
  for (const mistake of mistakes.slice(0, MISTAKES_SHOWN))
    console.error(`event not as described: ${mistake}`);
  const outcome = mistakes.length > 0 ? { passed: 0, failed: 1 } : { passed: 1, failed: 0 };
  console.log(
    `${outcome.failed > 0 ? 'FAIL' : 'ok  '} ${events} events of ${Object.keys(counts).length} kinds`,
  );
  return outcome;
}

function sum(outcomes: Outcome[]): Outcome {
  return {
    passed: outcomes.reduce((total, { passed }) => total + passed, 0),
    failed: outcomes.reduce((total, { failed }) => total + failed, 0),
  };
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

/** Resolves with the exit code; output goes straight through, except Jest's JSON, which goes to its file. */
async function run(
  [file, ...args]: [string, ...string[]],
  environment: Record<string, string>,
  priority?: number,
): Promise<number> {
  const env = { ...process.env, NX_DAEMON: 'false', ...environment };
  const child = spawn(file, args, { cwd: checkoutRoot, env, stdio: ['ignore', 'inherit', 'inherit'] });
  if (child.pid !== undefined && priority !== undefined) setPriority(child.pid, priority);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  console.log('0 passed, 1 failed');
  process.exit(1);
});
