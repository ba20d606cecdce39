import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appNames } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { describeWithout } from '@offizin/testkit/programs';
import { textTable } from '@offizin/testkit/text-table';
import { appDrift, missingApps, portOf } from './app-drift';
import { newSecrets } from './installation-secrets';
import { CONTAINER_MEMORY_MB, postgresArguments } from '@offizin/local-stack/postgres-settings';
import {
  type Container,
  containerOf,
  installations,
  kubernetesApps,
  type Manifest,
  manifestsOf,
  named,
  renderProblem,
  workloads,
} from './manifests';
import { schemaProblems } from './manifest-schemas';

const read = (path: string): string => readFileSync(join(checkoutRoot, path), 'utf8');
/** With a bucket's key, which `deploy` does not write. */
const secrets = {
  ...newSecrets(),
  DOCUMENT_STORE_ACCESS_KEY_ID: 'key',
  DOCUMENT_STORE_SECRET_ACCESS_KEY: 'secret',
};

function environmentEntry(container: Container, name: string): { name: string; value?: string } {
  const found = container.env?.find((entry) => entry.name === name);
  if (!found) throw new Error(`${name} is not set`);
  return found;
}

describeWithout(renderProblem, 'the manifests', () => {
  // One call for all, each different one once: the compiler reads the schemas again for each call.
  it('of every installation are valid, and have no field that Kubernetes lacks', () => {
    const all = installations.map((installation) => manifestsOf(installation));
    for (const manifests of all) expect(manifests.length).toBeGreaterThan(2);
    const different = new Map(all.flat().map((manifest) => [JSON.stringify(manifest), manifest]));
    expect(schemaProblems([...different.values()])).toEqual([]);
  }, 120_000);

  it('are refused with an unknown field, a wrong value or a missing one', () => {
    const manifests = manifestsOf('production+keda');
    Object.assign(containerOf(manifests, 'Deployment', 'gateway'), { readynessProbe: {} });
    Object.assign(named(manifests, 'ScaledObject', 'webhook-worker').spec ?? {}, { trigger: [] });
    Object.assign(named(manifests, 'ServiceMonitor', 'catalog').spec ?? {}, { endpoint: [] });
    Object.assign(named(manifests, 'PrometheusRule', 'offizin').spec ?? {}, { rules: [] });
    Object.assign(named(manifests, 'NetworkPolicy', 'dns').spec ?? {}, { policyTypes: ['Outgress'] });
    const deployment = named(manifests, 'Deployment', 'catalog');
    delete deployment.spec?.['selector'];
    const problems = schemaProblems(manifests).join('\n');
    expect(problems).toMatch(/Deployment gateway: .*readynessProbe.* does not exist/);
    expect(problems).toMatch(/ScaledObject webhook-worker: .*"trigger".* does not exist/);
    expect(problems).toMatch(/ServiceMonitor catalog: .*"endpoint".* does not exist/);
    expect(problems).toMatch(/PrometheusRule offizin: .*"rules".* does not exist/);
    expect(problems).toMatch(/NetworkPolicy dns: data\/spec\/policyTypes\/0 must be equal to one of/);
    expect(problems).toMatch(/Deployment catalog: .*must have required property selector/);
  }, 120_000);

  it.each(installations)('of %s agree with the code', (installation) => {
    expect(driftOf(installation, manifestsOf(installation))).toEqual([]);
  });

  /** Changes of what only Kubernetes has (compose.spec.ts has the others), and the difference that each must show. */
  const variables = textTable(`
    another port of order-core | ORDER_CORE_URL | http://order-core:3011 | serves 3011
    another broker | NATS_URL | nats://broker:4222 | no Service broker serves 4222
  `).map(([what = '', name = '', value = '', expected = '']) => {
    return [
      what,
      (one: Container) => Object.assign(environmentEntry(one, name), { value }),
      expected,
    ] as const;
  });
  const changes: [string, (container: Container) => unknown, string][] = [
    [
      'another path of a secret',
      ({ env }) => env?.push({ name: 'NATS_PASSWORD_FILE', value: '/run/secrets/x' }),
      'reads /run/secrets/x, which',
    ],
    ['another app', (one) => (one.args = ['shop']), 'the argument is shop, not'],
    [
      'another port of a probe',
      ({ readinessProbe }) => Object.assign(readinessProbe?.httpGet ?? {}, { port: 'http' }),
      'a probe asks port 3000',
    ],
    [
      'another port of the container',
      ({ ports }) => Object.assign(ports?.[0] ?? {}, { containerPort: 3002 }),
      'port 3002 is served, and nothing listens',
    ],
    [
      'a pause that leaves no time to drain',
      (one) => (one.lifecycle = { preStop: { sleep: { seconds: 10 } } }),
      'is killed after 30 s; pause and drain take 30 s',
    ],
    [
      'a root that can be written',
      ({ securityContext }) => Object.assign(securityContext ?? {}, { readOnlyRootFilesystem: false }),
      'readOnlyRoot does not hold',
    ],
    ['another image', (one) => (one.image = 'offizin-catalog:0.1.0'), 'the image is offizin-catalog'],
  ];

  it.each([...variables, ...changes])('are found to differ with %s', (_what, change, expected) => {
    const manifests = manifestsOf('production');
    change(containerOf(manifests, 'Deployment', 'gateway'));
    expect(driftOf('changed', manifests).join('\n')).toContain(expected);
  });

  it('are found to differ with another Secret, a service that is gone, and a Service’s name in the environment', () => {
    const manifests = manifestsOf('production');
    const pod = workloads([named(manifests, 'Deployment', 'catalog')])[0]?.pod;
    Object.assign(pod?.volumes?.[0]?.secret ?? {}, { secretName: 'katalog' });
    Object.assign(pod ?? {}, { enableServiceLinks: true });
    const gone = ['order-core', 'migrate-catalog'];
    const without = manifests.filter(({ metadata }) => !gone.includes(metadata.name));
    const problems = driftOf('changed', without).join('\n');
    expect(problems).toMatch(/the secret Secret katalog is not one of those that `deploy` writes/);
    expect(problems).toMatch(/catalog gets the addresses of Services in its environment/);
    expect(problems).toMatch(/order-core is missing/);
    expect(problems).toMatch(/nothing migrates catalog/);
  });
});

describeWithout(renderProblem, 'NATS and PostgreSQL in the manifests', () => {
  const configuration = (manifests: Manifest[], name: string) => named(manifests, 'ConfigMap', name).data;
  /** One with one server, others with three. */
  const withNats = installations.filter((installation) => !installation.endsWith('around'));

  it.each(withNats)('of %s get the very files of deploy/nats', (installation) => {
    const server = installation === 'one-node' ? 'server.conf' : 'cluster.conf';
    expect(configuration(manifestsOf(installation), 'nats')).toEqual({
      'alive.sh': read('deploy/nats/alive.sh'),
      'permissions.conf': read('deploy/nats/permissions.conf'),
      'server.conf': read(`deploy/nats/${server}`),
      'with-secrets.sh': read('deploy/nats/with-secrets.sh'),
    });
  });

  it.each(withNats)(
    'of %s count NATS as started when its streams are there, as alive while JetStream answers and stores',
    (installation) => {
      const nats = containerOf(manifestsOf(installation), 'StatefulSet', 'nats');
      const probes = [nats.startupProbe, nats.livenessProbe, nats.readinessProbe];
      expect(probes.map((probe) => probe?.httpGet?.path ?? probe?.exec?.command?.at(-1))).toEqual([
        '/healthz',
        '/etc/nats/alive.sh',
        '/healthz?js-server-only=true',
      ]);
    },
  );

  it('of production-tls speak TLS to every app, which gets the authority and not the key', () => {
    const manifests = manifestsOf('production+nats-tls');
    for (const { environment, migration, secretFiles } of kubernetesApps('', manifests)) {
      if (migration) continue;
      expect(environment['NATS_URL']).toBe('tls://nats:4222');
      const certificates = Object.keys(secretFiles).filter((path) => path.startsWith('/run/certificates'));
      expect(certificates).toEqual([environment['NATS_TLS_CA_FILE']]);
    }
    const [{ pod } = { pod: undefined }] = workloads([named(manifests, 'StatefulSet', 'nats')]);
    expect(pod?.volumes).toContainEqual({
      name: 'certificates',
      secret: { secretName: 'nats-tls', defaultMode: 0o440 },
    });
    expect(pod?.containers[0]?.volumeMounts).toContainEqual({
      name: 'certificates',
      mountPath: '/run/certificates',
      readOnly: true,
    });
    const server = configuration(manifests, 'nats')?.['server.conf'] ?? '';
    expect(server).toMatch(/cluster \{[^}]*include \.\/tls-routes\.conf[^}]*\}/);
    expect(server).toContain('\ninclude ./tls-clients.conf\n');
  });

  it('of one-node get the very files of deploy/postgres', () => {
    const manifests = manifestsOf('one-node');
    expect(configuration(manifests, 'postgres-roles')).toEqual({
      'roles.sql': read('deploy/postgres/roles.sql'),
      'passwords.sql': read('deploy/postgres/passwords.sql'),
      'passwords.sh': read('deploy/postgres/passwords.sh'),
    });
  });

  it('of one-node run PostgreSQL with the settings of npm start, for its limit of memory', () => {
    const { args, resources } = containerOf(manifestsOf('one-node'), 'StatefulSet', 'postgres');
    expect(args?.sort()).toEqual(postgresArguments(CONTAINER_MEMORY_MB).sort());
    expect(resources?.limits?.['memory']).toBe(`${CONTAINER_MEMORY_MB / 1024}Gi`);
  });

  it('of production are a cluster of three that writes to disk before it acknowledges', () => {
    const manifests = manifestsOf('production');
    const server = configuration(manifests, 'nats')?.['server.conf'] ?? '';
    expect(server).toContain('sync_interval: always');
    const replicas = Number(named(manifests, 'StatefulSet', 'nats').spec?.['replicas']);
    expect(replicas).toBe(3);
    const apps = kubernetesApps('', manifests).filter(({ migration }) => !migration);
    const kept = apps.map(({ environment }) => environment['STREAM_REPLICAS']);
    expect(kept).toEqual(appNames.map(() => String(replicas)));
    const routes = [...server.matchAll(/nats:\/\/([\w-]+)\.([\w-]+):(\d+)/g)].map(([, ...parts]) => parts);
    expect(routes).toEqual([0, 1, 2].map((index) => [`nats-${index}`, 'nats-headless', '6222']));
  });
});

function driftOf(where: string, manifests: Manifest[]): string[] {
  const described = kubernetesApps(where, manifests);
  const apps = described.filter(({ migration }) => !migration);
  const migrations = described.filter((one) => one.migration || one.environment['MIGRATE_ON_START']);
  const links = workloads(manifests).filter(({ pod }) => pod.enableServiceLinks !== false);
  return [
    ...described.flatMap((app) => appDrift(app, secrets)),
    ...missingApps(apps, migrations),
    ...links.map(
      ({ manifest }) => `${manifest.metadata.name} gets the addresses of Services in its environment`,
    ),
    ...apps.flatMap(({ environment, where: place }) =>
      ['NATS_URL', 'ORDER_CORE_URL'].flatMap((name) =>
        unserved(environment[name], manifests, `${place}: ${name}`),
      ),
    ),
    ...apps
      .filter(({ app }) => app === 'order-core')
      .flatMap((core) => {
        const port = portOf(core, secrets);
        return core.servedPorts.includes(port ?? 0)
          ? []
          : [`${core.where}: port ${port} is served by no Service`];
      }),
  ];
}

/** A URL must name a Service that is there, by one of its ports. A name with dots leads elsewhere. */
function unserved(url: string | undefined, manifests: Manifest[], where: string): string[] {
  if (url === undefined) return [];
  const { hostname, port } = new URL(url);
  if (hostname.includes('.')) return [];
  const service = manifests.find(({ kind, metadata }) => kind === 'Service' && metadata.name === hostname);
  const ports = ((service?.spec?.['ports'] ?? []) as { port: number }[]).map((one) => String(one.port));
  return ports.includes(port) ? [] : [`${where}: no Service ${hostname} serves ${port}`];
}
