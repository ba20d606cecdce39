import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { appNames } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { databaseRoles } from '@offizin/local-stack/database-roles';
import { natsPasswordVariable } from '@offizin/local-stack/nats';
import { databaseServices, natsUsers } from '@offizin/local-stack/secrets';
import { type ProcessConfig, readConfig, settingsOf } from '@offizin/runtime/config';
import { appConfigs } from '../docs/app-configs';
import { databasePasswordVariable, environmentText, newEnvironment } from './environment-file';

interface Service {
  image: string;
  build?: { dockerfile: string; target: string; args?: Record<string, string> };
  environment: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  healthcheck?: { test: string[] };
}

const read = (path: string): string => readFileSync(join(checkoutRoot, path), 'utf8');
const composeText = read('docker-compose.yml');
const { services } = parse(composeText, { merge: true }) as { services: Record<string, Service> };
const secrets = newEnvironment();

/** What Compose makes of `${NAME:?}` and `${NAME:-default}`. */
function interpolated(environment: Record<string, string>): Record<string, string> {
  const value = (_whole: string, name: string, kind: string, fallback: string): string => {
    const found = secrets[name] ?? (kind === '-' ? fallback : undefined);
    if (found === undefined) throw new Error(`${name} is not in the environment file`);
    return found;
  };
  const entries = Object.entries(environment);
  return Object.fromEntries(
    entries.map(([name, text]) => [name, text.replace(/\$\{(\w+):([?-])([^}]*)\}/g, value)]),
  );
}

function service(name: string): Service {
  const found = services[name];
  if (!found) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
}

const settingNames = (app: (typeof appNames)[number]): string[] =>
  settingsOf(appConfigs[app]).map(({ environment }) => environment);

describe.each(appNames)('the service %s of docker-compose.yml', (app) => {
  it('sets only variables that the app reads', () => {
    expect(Object.keys(service(app).environment).filter((name) => !settingNames(app).includes(name))).toEqual(
      [],
    );
  });

  it('gives the app a configuration that it accepts', () => {
    expect(() =>
      readConfig<ProcessConfig>(appConfigs[app], interpolated(service(app).environment)),
    ).not.toThrow();
  });

  it('would be refused without any one of the variables that it must set', () => {
    const required = settingsOf(appConfigs[app]).filter(({ fallback }) => fallback === undefined);
    for (const { environment: name } of required) {
      const without = { ...interpolated(service(app).environment), [name]: '' };
      expect(() => readConfig<ProcessConfig>(appConfigs[app], without)).toThrow(`${name} is not set`);
    }
  });

  it('is built from the one Dockerfile and signs in to the broker as itself', () => {
    const { build, environment } = service(app);
    expect(build).toMatchObject({ dockerfile: 'deploy/Dockerfile', target: 'app', args: { APP: app } });
    expect(environment['NATS_USER']).toBe(app);
    expect(environment['NATS_PASSWORD']).toBe(`\${${natsPasswordVariable(app)}:?}`);
  });

  it('is healthy when /readyz on its management port says so', () => {
    const { managementPort } = readConfig<ProcessConfig>(
      appConfigs[app],
      interpolated(service(app).environment),
    );
    expect(service(app).healthcheck?.test.join(' ')).toContain(`http://127.0.0.1:${managementPort}/readyz`);
  });

  it('never allows loopback targets or plain http', () => {
    expect(Object.keys(service(app).environment).filter((name) => name.startsWith('EGRESS_'))).toEqual([]);
  });
});

describe('docker-compose.yml', () => {
  it('publishes the ports of the two edges and nothing else', () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => [name, port]),
    );
    const portOf = (app: 'gateway' | 'connector-edge'): number =>
      readConfig<ProcessConfig & { port: number }>(appConfigs[app], interpolated(service(app).environment))
        .port;
    expect(published).toEqual(
      (['gateway', 'connector-edge'] as const).map((app) => [app, `127.0.0.1:${portOf(app)}:${portOf(app)}`]),
    );
  });

  it('leads the edges to the port of order-core', () => {
    const { port } = readConfig(appConfigs['order-core'], interpolated(service('order-core').environment));
    for (const edge of ['gateway', 'connector-edge'])
      expect(service(edge).environment['ORDER_CORE_URL']).toBe(`http://order-core:${port}`);
  });

  it('opens the database with the role of each service', () => {
    for (const name of databaseServices) {
      const url = new URL(interpolated(service(name).environment)['DATABASE_URL'] ?? '');
      expect(url.username).toBe(databaseRoles[name]);
      expect(url.password).toBe(secrets[databasePasswordVariable(name)]);
      expect(url.pathname).toBe(`/${service('postgres').environment['POSTGRES_DB']}`);
    }
  });

  it('gives PostgreSQL the scripts that make the roles, and every password that they read', () => {
    const mounted = (service('postgres').volumes ?? []).map((volume) => volume.split(':')[0]);
    expect(mounted).toEqual(['postgres', './deploy/postgres/roles.sql', './deploy/postgres/passwords.sql']);
    const wanted = [...read('deploy/postgres/passwords.sql').matchAll(/^\\getenv \w+ (\w+)$/gm)].map(
      ([, name]) => name,
    );
    expect(wanted).toEqual(databaseServices.map(databasePasswordVariable));
    expect(Object.keys(service('postgres').environment)).toEqual(expect.arrayContaining(wanted));
  });

  it('gives NATS the password of every user of permissions.conf', () => {
    const wanted = [...read('deploy/nats/permissions.conf').matchAll(/password: \$(\w+)/g)].map(
      ([, name]) => name,
    );
    expect([...wanted].sort()).toEqual(natsUsers.map(natsPasswordVariable).sort());
    expect(Object.keys(service('nats').environment).sort()).toEqual([...wanted].sort());
  });

  it('runs NATS with the message limit of npm start', () => {
    const limitOf = (text: string): string | undefined => /max_payload: (\w+)/.exec(text)?.[1];
    const limit = limitOf(read('deploy/nats/server.conf'));
    expect(limit).toBeDefined();
    expect(limit).toBe(limitOf(read('libs/local-stack/nats.ts')));
  });

  it('asks for no secret that the environment file does not hold, and the file holds no other', () => {
    const asked = [...composeText.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name ?? '');
    expect([...new Set(asked)].sort()).toEqual(Object.keys(secrets).sort());
  });

  it('holds no secret itself', () => {
    const plain = Object.values(services).flatMap(({ environment }) => Object.entries(environment));
    const secretNames = plain.filter(([name]) => /PASSWORD|SECRET|_KEYS?$/.test(name));
    expect(secretNames.length).toBeGreaterThan(10);
    for (const [name, value] of secretNames)
      expect([name, value]).toEqual([name, expect.stringMatching(/^\$\{\w+:\?\}$/)]);
  });
});

describe('the environment file', () => {
  it('holds values that need no escaping in single quotes or in a URL', () => {
    const text = environmentText(secrets);
    for (const [name, value] of Object.entries(secrets)) {
      expect(text).toContain(`${name}='${value}'\n`);
      expect(value).not.toMatch(/['\n]/);
      if (name.endsWith('_PASSWORD')) expect(encodeURIComponent(value)).toBe(value);
    }
  });

  it('is new every time', () => {
    expect(newEnvironment()['MASTER_KEY']).not.toBe(secrets['MASTER_KEY']);
  });
});
