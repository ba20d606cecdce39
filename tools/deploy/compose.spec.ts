import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { databaseRoles } from '@offizin/local-stack/database-roles';
import { natsPasswordVariable } from '@offizin/local-stack/nats';
import { CONTAINER_MEMORY_MB, postgresArguments } from '@offizin/local-stack/postgres-settings';
import { databaseServices, natsUsers } from '@offizin/local-stack/secrets';
import { textTable } from '@offizin/testkit/text-table';
import { appDrift, missingApps, portOf } from './app-drift';
import {
  composeApps,
  type ComposeFile,
  type ComposeService,
  parseCompose,
  releasedCompose,
  secretsOf,
  withDefaults,
} from './compose-file';
import { databasePasswordVariable, databaseUrlFile, newSecrets } from './installation-secrets';
import { composeFiles, composeSecrets } from './installation-volumes';

const read = (path: string): string => readFileSync(join(checkoutRoot, path), 'utf8');
const composeText = read('docker-compose.yml');
const compose = parseCompose(composeText);
const secrets = newSecrets();

function service(name: string, file = compose): ComposeService {
  const found = file.services[name];
  if (!found) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
}

function namedVolumes(name: string): string[] {
  return (service(name).volumes ?? []).filter((volume) => typeof volume === 'string');
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
    another port of an edge | :3001' | :3002' | port 3002 is served
    another user of the broker | NATS_USER: catalog | NATS_USER: shop | NATS_USER is shop, not catalog
    the files of another service | ^( +)volumes: .'catalog-files | $1volumes: ['gateway-files | the secret of NATS_PASSWORD is NATS_GATEWAY_PASSWORD
    another app | command: \[catalog\] | command: [shop] | the argument is shop, not catalog
    another image | :-offizin:0.1.0 | :-offizin-gateway:0.1.0 | the image is offizin-gateway, not offizin
    files that are not mounted | ^ +volumes: .'gateway-files.* |  | TOKEN_SIGNING_KEYS is not set
    files elsewhere | gateway-files:/run/secrets | gateway-files:/run/keys | TOKEN_SIGNING_KEYS is not set
    files that it could change | gateway-files:/run/secrets:ro | gateway-files:/run/secrets | TOKEN_SIGNING_KEYS is not set
    a secret that nobody reads | gateway-files:/run | order-core-files:/run | mounts /run/secrets/MASTER_KEY, which
    a secret in the environment | NATS_USER: gateway | MASTER_KEY: abc | MASTER_KEY, which gateway does not read
    an own secret in the environment | NATS_USER: order-core | MASTER_KEY: abc | MASTER_KEY is a secret and is
    a database of another service | 'migrate-catalog-files | 'migrate-order-core-files | the secret of DATABASE_URL is ORDER
    a secret that a migration does not need | 'migrate-catalog-files | 'webhook-worker-files | mounts /run/secrets/MASTER_KEY, which
    an end that comes too soon | stop_grace_period: 30s | stop_grace_period: 20s | is killed after 20 s
    a root that can be written | read_only: true | read_only: false | readOnlyRoot does not hold
    an app that is gone | ^ {2}catalog:$ |   katalog: | catalog is missing
    a migration that is gone | ^ {2}migrate-catalog:$ |   migrate-katalog: | nothing migrates catalog
    a flag for development | TRUSTED_PROXIES: .entry | EGRESS_ALLOW_HTTP: 'true' | EGRESS_ALLOW_HTTP is for dev
  `);

  it.each(changes)('are found to differ with %s', (_what, pattern = '', replacement = '', problem = '') => {
    const changed = composeText.replace(new RegExp(pattern, 'm'), replacement);
    expect(changed).not.toBe(composeText);
    expect(driftOf(parseCompose(changed)).join('\n')).toContain(problem);
  });
});

describe('docker-compose.yml', () => {
  it('publishes the ports of the two edges on loopback, those of the proxy, and nothing else', () => {
    const published = Object.entries(compose.services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => [name, withDefaults(port)]),
    );
    const ports = new Map(composeApps(compose).map((app) => [app.app, portOf(app, secrets)]));
    const edges = (['gateway', 'connector-edge'] as const).map((app) => [
      app,
      `127.0.0.1:${ports.get(app)}:${ports.get(app)}`,
    ]);
    expect(published).toEqual([...edges, ['proxy', '80:80'], ['proxy', '443:443']]);
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
    const membersOf = (network: string): string[] =>
      Object.keys(compose.services).filter((name) => service(name).networks?.includes(network));
    expect(membersOf('outside')).toEqual(['order-core', 'webhook-worker']);
    expect(membersOf('entry')).toEqual(['gateway', 'connector-edge', 'proxy']);
    expect([service('init').networks, service('init').network_mode]).toEqual([undefined, 'none']);
  });

  it('has the edges trust the network of the proxy, which has a fixed address', () => {
    const [{ subnet } = { subnet: '' }] = compose.networks['entry']?.ipam?.config ?? [];
    expect(withDefaults(subnet)).toMatch(/^\d+\.\d+\.\d+\.0\/24$/);
    for (const edge of ['gateway', 'connector-edge'])
      expect(service(edge).environment?.['TRUSTED_PROXIES']).toBe(subnet);
  });

  it('migrates before a service starts', () => {
    for (const name of databaseServices)
      expect(service(name).depends_on?.[`migrate-${name}`]).toEqual({
        condition: 'service_completed_successfully',
      });
  });

  it('runs one image, which compose.build.yml builds, and a release names by its digest', () => {
    const own = Object.keys(compose.services).filter((name) => service(name).image.includes('OFFIZIN_IMAGE'));
    expect(new Set(own.map((name) => withDefaults(service(name).image)))).toEqual(new Set(['offizin:0.1.0']));
    expect(Object.values(compose.services).filter(({ build }) => build)).toEqual([]);
    const build = { context: '.', dockerfile: 'deploy/Dockerfile' };
    expect(parseCompose(read('compose.build.yml')).services).toEqual({ init: { build } });
    const image = `registry.example.org/offizin@sha256:${'0a'.repeat(32)}`;
    const released = parseCompose(releasedCompose(composeText, image));
    expect(own.map((name) => withDefaults(service(name, released).image))).toEqual(own.map(() => image));
    expect(() => releasedCompose(composeText, 'registry.example.org/offizin')).toThrow(/names no version/);
  });

  it('needs no file beside itself but those that an operator names', () => {
    const mounts = Object.values(compose.services).flatMap((one) => one.volumes ?? []);
    const sources = mounts.map((one) => (typeof one === 'string' ? one.split(':')[0] : one.source));
    const named = sources.filter((source = '') => !Object.hasOwn(compose.volumes, source));
    expect(named.map((source = '') => withDefaults(source))).toEqual(['/dev/null', './backups']);
    const lists = Object.values(compose.services).flatMap((one) => Object.keys(one));
    expect(lists.filter((key) => ['env_file', 'configs', 'secrets', 'build'].includes(key))).toEqual([]);
  });

  it('has init fill the volume of each service, which no other one mounts', () => {
    const filled = [...new Set([...Object.keys(composeSecrets), ...Object.keys(composeFiles)])].sort();
    const ofInit = namedVolumes('init');
    expect(ofInit.slice(0, 2)).toEqual(['secrets:/volumes/secrets', 'postgres:/volumes/postgres:ro']);
    const targets = filled.map((name) => `${name}-files:/volumes/files/${name}`);
    expect(ofInit.slice(2).sort()).toEqual(targets.sort());
    for (const name of filled) {
      const holders = Object.keys(compose.services).filter((one) =>
        namedVolumes(one).some((volume) => volume.startsWith(`${name}-files:/run/secrets`)),
      );
      const further = { operator: ['demo'], postgres: ['operator-root'] }[name] ?? [];
      expect([name, holders.sort()]).toEqual([name, [name, ...further].sort()]);
    }
    const holders = Object.keys(compose.services).filter((one) =>
      namedVolumes(one).some((volume) => volume.startsWith('secrets:')),
    );
    expect(holders).toEqual(['init', 'operator-root']);
  });

  it('starts nothing before init is through', () => {
    const waits = (name: string): boolean =>
      Object.entries(service(name).depends_on ?? {}).some(
        ([other, { condition }]) =>
          (other === 'init' && condition === 'service_completed_successfully') || waits(other),
      );
    expect(Object.keys(compose.services).filter((name) => name !== 'init' && !waits(name))).toEqual([]);
  });

  it('has an older Compose name the version that it needs', () => {
    // Inline content is known from this version on.
    expect(compose.configs).toEqual({ 'docker-compose-2.23.1-or-newer-is-needed': { content: 'none' } });
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
    expect(service('postgres').volumes).toEqual([
      'postgres:/var/lib/postgresql',
      'postgres-files:/run/secrets:ro',
      'postgres-files:/docker-entrypoint-initdb.d:ro',
    ]);
    const scripts = Object.entries({ ROLES_SQL: 'roles.psql', PASSWORDS_SQL: 'passwords.psql' });
    for (const [variable, file] of scripts) {
      expect(service('postgres').environment?.[variable]).toBe(`/run/secrets/${file}`);
      expect(composeFiles['postgres']).toHaveProperty([file]);
    }
    expect(Object.keys(composeSecrets['postgres'] ?? {})).toEqual([
      'POSTGRES_PASSWORD',
      ...databaseServices.map(databasePasswordVariable),
    ]);
    // The image runs these endings, and leaves all other files alone.
    const names = Object.keys({ ...composeFiles['postgres'], ...composeSecrets['postgres'] });
    expect(names.filter((name) => /\.(sql|sh)/.test(name))).toEqual(['passwords.sh']);
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
      'postgres-files:/run/secrets:ro',
      'secrets:/deploy',
      expect.objectContaining({ target: '/backups', read_only: false }),
    ]);
    expect(environment?.['POSTGRES_FOLDER']).toBe(service('postgres').environment?.['PGDATA']);
    const holders = Object.keys(compose.services).filter(
      (name) => secretsOf(service(name))['POSTGRES_PASSWORD'] !== undefined,
    );
    expect(holders).toEqual(['operator-root', 'postgres']);
    const additions = Object.entries(compose.services).map(([name, one]) => [name, one.cap_add?.join(' ')]);
    expect(additions.filter(([, added]) => added)).toEqual([
      ['init', 'DAC_OVERRIDE'],
      ['operator-root', 'DAC_OVERRIDE'],
      ['proxy', 'NET_BIND_SERVICE'],
    ]);
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
    expect(Object.keys(secretsOf(service('nats')))).toEqual(natsUsers.map(natsPasswordVariable));
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

  it('uses each secret that init writes', () => {
    const used = Object.values(compose.services).flatMap((one) => Object.values(secretsOf(one)));
    expect([...new Set(used)].sort()).toEqual(Object.keys(secrets).sort());
  });
});
