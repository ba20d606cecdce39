import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { databaseRoles } from '@offizin/local-stack/database-roles';
import { natsPasswordVariable } from '@offizin/local-stack/nats';
import { CONTAINER_MEMORY_MB, postgresArguments } from '@offizin/local-stack/postgres-settings';
import { databaseServices, natsUsers } from '@offizin/local-stack/secrets';
import { textTable } from '@offizin/testkit/text-table';
import { appDrift, missingApps, portOf } from './app-drift';
import { composeApps, type ComposeFile, type ComposeService, parseCompose, secretsOf } from './compose-file';
import { databasePasswordVariable, databaseUrlFile, newSecrets } from './installation-secrets';

const read = (path: string): string => readFileSync(join(checkoutRoot, path), 'utf8');
const composeText = read('docker-compose.yml');
const compose = parseCompose(composeText);
const secrets = newSecrets();

function service(name: string, file = compose): ComposeService {
  const found = file.services[name];
  if (!found) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
}

function driftOf(file: ComposeFile): string[] {
  const apps = composeApps(file);
  return [
    ...apps.flatMap((app) => appDrift(app, secrets)),
    ...missingApps(
      apps.filter(({ migration }) => !migration),
      apps.filter(({ migration }) => migration),
    ),
  ];
}

describe('the apps of docker-compose.yml', () => {
  it('agree with the code', () => {
    expect(driftOf(compose)).toEqual([]);
  });

  /** Changes of one side only (an expression, and what replaces it), and the difference that each must show. */
  const changes = textTable(String.raw`
    a variable that no app reads | ORDER_CORE_URL: | CORE_URL: | sets CORE_URL, which gateway does not
    a variable that is missing | ORDER_CORE_URL:.* |  | ORDER_CORE_URL is not set
    another management port | 127\.0\.0\.1:9100 | 127.0.0.1:9101 | a probe asks port 9101
    another path of a probe | /readyz | /ready | a probe asks /ready, which nobody answers
    another port of an edge | 127\.0\.0\.1:3001:3001 | 127.0.0.1:3001:3002 | port 3002 is served
    another user of the broker | NATS_USER: catalog | NATS_USER: shop | NATS_USER is shop, not catalog
    the password of another user | source: NATS_CATALOG_PASSWORD | source: CATALOG_DATABASE_URL | the secret of NATS_PASSWORD is CATALOG_DATABASE_URL
    another app | command: \[catalog\] | command: [shop] | the argument is shop, not catalog
    another image | image: offizin:0.1.0 | image: offizin-gateway:0.1.0 | the image is offizin-gateway, not offizin
    a secret that nobody writes | (MASTER_KEY: \{ file:.*)MASTER_KEY | $1MAIN_KEY | the secret MAIN_KEY is not
    a secret that is not mounted | ^ +- TOKEN_SIGNING_KEYS\n |  | TOKEN_SIGNING_KEYS is not set
    a secret that nobody reads | - TOKEN_SIGNING_KEYS | - MASTER_KEY | mounts /run/secrets/MASTER_KEY, which
    a secret in the environment | NATS_USER: gateway | MASTER_KEY: abc | MASTER_KEY, which gateway does not read
    an own secret in the environment | NATS_USER: order-core | MASTER_KEY: abc | MASTER_KEY is a secret and is
    a database of another service | source: CATALOG_DATABASE_URL | source: ORDER_CORE_DATABASE_URL | the secret of DATABASE_URL is ORDER
    a secret that a migration does not need | (migrate-catalog:[^]*?)secrets: \[ | $1secrets: [MASTER_KEY, | mounts /run/secrets/MASTER_KEY, which
    an end that comes too soon | stop_grace_period: 30s | stop_grace_period: 20s | is killed after 20 s
    a root that can be written | read_only: true | read_only: false | readOnlyRoot does not hold
    an app that is gone | ^ {2}catalog:$ |   katalog: | catalog is missing
    a migration that is gone | ^ {2}migrate-catalog:$ |   migrate-katalog: | nothing migrates catalog
    a flag for development | TRUSTED_PROXIES: .* | EGRESS_ALLOW_HTTP: 'true' | EGRESS_ALLOW_HTTP is for dev
  `);

  it.each(changes)('are found to differ with %s', (_what, pattern = '', replacement = '', problem = '') => {
    const changed = composeText.replace(new RegExp(pattern, 'm'), replacement);
    expect(changed).not.toBe(composeText);
    expect(driftOf(parseCompose(changed)).join('\n')).toContain(problem);
  });
});

describe('docker-compose.yml', () => {
  it('publishes the ports of the two edges on loopback and nothing else', () => {
    const published = Object.entries(compose.services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => [name, port]),
    );
    const ports = new Map(composeApps(compose).map((app) => [app.app, portOf(app, secrets)]));
    expect(published).toEqual(
      (['gateway', 'connector-edge'] as const).map((app) => [
        app,
        `127.0.0.1:${ports.get(app)}:${ports.get(app)}`,
      ]),
    );
  });

  it('leads the edges to the port of order-core', () => {
    const core = composeApps(compose).find(({ app }) => app === 'order-core');
    for (const edge of ['gateway', 'connector-edge'])
      expect(service(edge).environment?.['ORDER_CORE_URL']).toBe(
        `http://order-core:${core && portOf(core, secrets)}`,
      );
  });

  it('keeps the ledger and the broker where nothing else is, and lets out only who calls others', () => {
    expect(compose.networks['inside']).toEqual({ internal: true });
    const outside = Object.keys(compose.services).filter((name) =>
      service(name).networks.includes('outside'),
    );
    expect(outside).toEqual(['gateway', 'connector-edge', 'order-core', 'webhook-worker']);
  });

  it('migrates before a service starts', () => {
    for (const name of databaseServices)
      expect(service(name).depends_on?.[`migrate-${name}`]).toEqual({
        condition: 'service_completed_successfully',
      });
  });

  it('builds every app from the one Dockerfile', () => {
    for (const { where } of composeApps(compose)) {
      const { build } = service(where.split(', ')[1] ?? '');
      expect(build).toEqual({ context: '.', dockerfile: 'deploy/Dockerfile' });
    }
  });

  it('names the database, and the role of each service, as the database URLs do', () => {
    for (const name of databaseServices) {
      const url = new URL(secrets[databaseUrlFile(name)] ?? '');
      expect(url.username).toBe(databaseRoles[name]);
      expect(url.password).toBe(secrets[databasePasswordVariable(name)]);
      expect(url.host).toBe('postgres:5432');
      expect(url.pathname).toBe(`/${service('postgres').environment?.['POSTGRES_DB']}`);
    }
  });

  it('gives PostgreSQL the scripts that make the roles, and every password that they ask for', () => {
    const mounted = (service('postgres').volumes ?? []).map((volume) =>
      typeof volume === 'string' ? volume : volume.source,
    );
    expect(mounted).toEqual([
      'postgres:/var/lib/postgresql',
      './deploy/postgres/roles.sql',
      './deploy/postgres/passwords.sh',
      './deploy/postgres/passwords.sql',
    ]);
    expect(service('postgres').secrets).toEqual([
      'POSTGRES_PASSWORD',
      ...databaseServices.map(databasePasswordVariable),
    ]);
  });

  it('gives PostgreSQL the settings of npm start, for the memory of a container, and keeps them with an archive', () => {
    const settings = postgresArguments(CONTAINER_MEMORY_MB);
    expect(service('postgres').command).toEqual(settings);
    const archiving = parseCompose(read('deploy/postgres/compose-archive.yml')).services['postgres'];
    const further = ['archive_mode', 'archive_timeout', 'archive_command'];
    expect(archiving?.command?.slice(0, settings.length)).toEqual(settings);
    expect(archiving?.command?.slice(settings.length).map((one) => one.split('=')[0])).toEqual(
      further.map((name) => `--${name}`),
    );
  });

  it('lets one service alone reach the files of PostgreSQL and all secrets, as root that owns nothing', () => {
    const { user, cap_drop, cap_add, environment, volumes } = service('operator-root');
    expect({ user, cap_drop, cap_add }).toEqual({
      user: '0:0',
      cap_drop: ['ALL'],
      cap_add: ['DAC_OVERRIDE'],
    });
    expect(volumes).toEqual([
      'postgres:/var/lib/postgresql',
      expect.objectContaining({ source: './deploy/secrets', target: '/deploy/secrets', read_only: true }),
      expect.objectContaining({ target: '/backups', read_only: false }),
    ]);
    expect(environment?.['POSTGRES_FOLDER']).toBe(service('postgres').environment?.['PGDATA']);
    const holders = Object.keys(compose.services).filter((name) =>
      secretsOf(service(name)).some(({ source }) => source === 'POSTGRES_PASSWORD'),
    );
    expect(holders).toEqual(['operator-root', 'postgres']);
    expect(Object.keys(compose.services).filter((name) => service(name).cap_add)).toEqual(['operator-root']);
  });

  it('bounds the memory and the log of every service; PostgreSQL has the memory of its settings', () => {
    for (const [name, { logging, mem_limit }] of Object.entries(compose.services)) {
      expect([name, logging]).toEqual([
        name,
        { driver: 'json-file', options: { 'max-size': '20m', 'max-file': '5' } },
      ]);
      expect([name, mem_limit]).toEqual([name, expect.stringMatching(/^\d+[mg]$/)]);
    }
    expect(service('postgres').mem_limit).toBe(`${CONTAINER_MEMORY_MB / 1024}g`);
  });

  it('gives NATS the password of every user', () => {
    expect(service('nats').secrets).toEqual(natsUsers.map(natsPasswordVariable));
  });

  it.each(['max_payload', 'max_file_store'])('runs NATS with the limit %s of npm start', (name) => {
    const limitOf = (text: string): string | undefined => new RegExp(`${name}: (\\w+)`).exec(text)?.[1];
    const limit = limitOf(read('deploy/nats/server.conf'));
    expect(limit).toBeDefined();
    expect(limit).toBe(limitOf(read('tools/local-stack/nats.ts')));
    expect(limit).toBe(limitOf(read('deploy/nats/cluster.conf')));
  });

  it('speaks TLS to every app with deploy/nats/compose-tls.yml, which gives them the authority and not the key', () => {
    const { nats, ...clients } = parseCompose(read('deploy/nats/compose-tls.yml')).services;
    const known = Object.keys(compose.services).filter((name) => service(name).environment?.['NATS_USER']);
    expect(Object.keys(clients).sort()).toEqual(known.filter((name) => !name.startsWith('migrate-')).sort());
    for (const { environment, volumes } of Object.values(clients)) {
      expect(environment?.['NATS_URL']).toBe('tls://nats:4222');
      const target = environment?.['NATS_TLS_CA_FILE'];
      expect(volumes).toEqual([expect.objectContaining({ source: './deploy/certificates/ca.crt', target })]);
    }
    expect(nats?.volumes).toEqual([
      expect.objectContaining({ source: './deploy/certificates', target: '/run/certificates' }),
    ]);
  });

  it.each(['docker-compose.yml', 'deploy/nats/compose-tls.yml', 'deploy/postgres/compose-archive.yml'])(
    'mounts files of the host read-only in %s, and has Docker refuse a missing one instead of making a folder',
    (file) => {
      const volumes = Object.values(parseCompose(read(file)).services).flatMap((one) => one.volumes ?? []);
      const mounts = volumes.filter((volume) => typeof volume !== 'string');
      expect(volumes.filter((volume) => typeof volume === 'string' && /^[./~]/.test(volume))).toEqual([]);
      expect(mounts.length).toBeGreaterThan(0);
      for (const { target, ...mount } of mounts) {
        expect(mount).toMatchObject({ type: 'bind', bind: { create_host_path: false } });
        expect([target, mount.read_only === true]).toEqual([target, !/^.(backups|archive)$/.test(target)]);
      }
    },
  );

  it('asks for the secrets that `deploy` writes and no others, and each is used', () => {
    expect(Object.values(compose.secrets).map(({ file }) => file)).toEqual(
      Object.keys(secrets).map((name) => `./deploy/secrets/${name}`),
    );
    const used = Object.values(compose.services).flatMap((one) => secretsOf(one).map(({ source }) => source));
    expect([...new Set(used)].sort()).toEqual(Object.keys(secrets).sort());
  });
});
