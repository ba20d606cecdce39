import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appNames } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { databaseServices } from '@offizin/local-stack/secrets';
import { VERSION } from '@offizin/runtime/version';
import { describeWithout } from '@offizin/testkit/programs';
import { parse } from 'yaml';
import { chartValues } from '../docs/chart-page';
import { installationVariables } from '../offizin/doctor/installation';
import { HELM, helm, type HelmMajor } from './helm';
import { kubernetesSecrets } from './installation-secrets';
import {
  CHART,
  chartArguments,
  containerOf,
  installations,
  type Manifest,
  manifestsOf,
  named,
  parseManifests,
  rendered,
  renderProblem,
  type Values,
  workloads,
} from './manifests';

/** Policies that select pods with these two labels. */
function policiesOf(manifests: Manifest[], name: string, component: string): Manifest[] {
  const labels: Record<string, string> = {
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/component': component,
  };
  return manifests.filter(({ kind, spec }) => {
    if (kind !== 'NetworkPolicy') return false;
    const { matchLabels = {}, matchExpressions = [] } = (spec?.['podSelector'] ?? {}) as {
      matchLabels?: Record<string, string>;
      matchExpressions?: { key: string; values: string[] }[];
    };
    return (
      Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
      matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
    );
  });
}

const read = (path: string): string => readFileSync(join(checkoutRoot, path), 'utf8');
const MAJORS: HelmMajor[] = [3, 4];

it('is of the version of this checkout', () => {
  expect(parse(read('deploy/chart/Chart.yaml'))).toMatchObject({ version: VERSION, appVersion: VERSION });
});

it('describes every value, and each has a default', () => {
  const values = chartValues();
  expect(values.length).toBeGreaterThan(100);
  expect(values.filter(({ description }) => !/\w.*[.]$/.test(description))).toEqual([]);
  const ofNames = values.filter(({ path, fallback }) => !path.includes('*') && fallback === undefined);
  expect(ofNames).toEqual([]);
});

describeWithout(renderProblem, 'the chart', () => {
  it.each(MAJORS)(
    'is linted and rendered by the real Helm %s',
    (major) => {
      expect(helm(major, ['version', '--template', '{{ .Version }}'])).toBe(`v${HELM[major].version}`);
      for (const installation of installations)
        expect(helm(major, chartArguments(['lint', '--strict'], installation))).toContain(
          '0 chart(s) failed',
        );
    },
    60_000,
  );

  it.each(installations)('is the same for both in %s', (installation) => {
    expect(parseManifests(rendered(installation, {}, 4))).toEqual(manifestsOf(installation));
  });

  it('is whole as a package, in which links are files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'offizin-chart-'));
    try {
      helm(4, ['package', CHART, '--destination', folder]);
      const chart = join(folder, `offizin-${VERSION}.tgz`);
      const args = chartArguments(['template', 'offizin'], 'production', [chart]);
      expect(parseManifests(helm(4, args))).toEqual(manifestsOf('production'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  const isScaled = { autoscaling: { enabled: true, maxReplicas: 5 } };
  const wrong: [what: string, values: Values, sentence: string][] = [
    ['an unknown value', { gatway: {} }, 'Additional property gatway is not allowed'],
    ['an unknown app', { apps: { shop: {} } }, 'Property name of "shop" does not match'],
    [
      'an unknown value of an app',
      { apps: { catalog: { replica: 2 } } },
      'Additional property replica is not',
    ],
    ['two servers of NATS', { nats: { servers: 2 } }, 'must be one of the following: 1, 3'],
    [
      'less time than an app takes to end',
      { pods: { terminationGracePeriodSeconds: 25 } },
      'terminationGracePeriodSeconds',
    ],
    [
      'a time to end for what has its own',
      { postgres: { pod: { terminationGracePeriodSeconds: 90 } } },
      'postgres.pod: Must not validate the schema',
    ],
    ['a setting in small letters', { apps: { gateway: { env: { log: 'a' } } } }, '"log" does not match'],
    ['no host', { hosts: { api: '' } }, 'hosts.api is empty: name the host of API and console.'],
    ['a floating tag', { image: { tag: 'latest' } }, 'image.tag "latest" floats: name a version'],
    ['a server without a tag', { nats: { image: { tag: '' } } }, 'nats.image.tag "" floats: name a version'],
    [
      'no name of a Secret',
      { apps: { catalog: { existingSecret: '' } } },
      'apps.catalog.existingSecret is empty: name the Secret.',
    ],
    ['no name of another Secret', { nats: { existingSecret: '' } }, 'nats.existingSecret is empty'],
    [
      'a host of two apps',
      { connectors: { sonnen: { host: 'api.example.org' } } },
      'The host api.example.org belongs to hosts.api and to connectors.sonnen: a host leads to one app.',
    ],
    [
      'a host of two connectors',
      { connectors: { a: { host: 'a.example' }, b: { host: 'a.example' } } },
      'The host a.example belongs to connectors.a and to connectors.b',
    ],
    [
      'more connections than PostgreSQL takes',
      { apps: { catalog: isScaled } },
      'up to 209 connections of PostgreSQL and database.maxConnections is 200: lower replicas',
    ],
    [
      'more connections than the database of one service takes',
      { database: { services: { catalog: { maxConnections: 55 } } } },
      'up to 56 connections of PostgreSQL and database.services.catalog.maxConnections is 55',
    ],
    [
      'nobody who passes calls on',
      { networkPolicy: { entry: [] } },
      'networkPolicy.entry is empty: name the',
    ],
    ['no address of PostgreSQL', { database: { addresses: [] } }, 'database.addresses is empty'],
    ['no address of another NATS', { nats: { url: 'nats://a:4222' } }, 'nats.addresses is empty'],
    ['no pods that scrape', { monitoring: { prometheus: [] } }, 'monitoring.prometheus is empty'],
    ['no pods of the collector', { tracing: { endpoint: 'http://a:1' } }, 'tracing.addresses is empty'],
    ['no servers of the bucket', { documentStore: { enabled: true } }, 'documentStore.addresses is empty'],
    [
      'no listener of the Gateway',
      { gatewayApi: { api: null } },
      'gatewayApi.api is empty: name the listener',
    ],
    [
      'KEDA beside another NATS',
      {
        nats: { url: 'nats://a:4222', addresses: [{}] },
        keda: { enabled: true, maxReplicas: 2, operator: [{}] },
      },
      'keda.enabled needs the servers of this chart',
    ],
  ];

  it.each(wrong)('refuses %s with a sentence', (_what, values, sentence) => {
    expect(() => rendered('production', values)).toThrow(sentence);
  });

  it('takes as many connections as PostgreSQL does, and counts those of a service where it has them', () => {
    const most = { ...isScaled, env: { DATABASE_POOL: '10' } };
    const apps = { catalog: most, 'order-core': most };
    // 2 × 6 × 11 + 3 × 17 + 5
    const limit = (maxConnections: number): Values => ({ apps, database: { maxConnections } });
    expect(() => rendered('production', limit(188))).not.toThrow();
    expect(() => rendered('production', limit(187))).toThrow('take up to 188 connections');
    const services = { catalog: { maxConnections: 71 } };
    expect(() => rendered('production', { apps, database: { maxConnections: 122, services } })).not.toThrow();
  });

  it('migrates each service by a hook before it is rolled out, with what the hook needs before it', () => {
    const manifests = manifestsOf('production') as (Manifest & {
      metadata: { annotations?: Record<string, string> };
    })[];
    const hooks = manifests.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook']);
    // A Job and its log stay for a day; an account and policies would stay for ever.
    for (const { kind, metadata } of hooks)
      expect(metadata.annotations).toMatchObject({
        'helm.sh/hook': 'pre-install,pre-upgrade',
        'helm.sh/hook-delete-policy': `before-hook-creation${kind === 'Job' ? '' : ',hook-succeeded'}`,
      });
    const weights = (kind: string): [string, number][] =>
      hooks
        .filter((one) => one.kind === kind)
        .map(({ metadata: { name, annotations } }) => [
          name,
          Number(annotations?.['helm.sh/hook-weight'] ?? 0),
        ]);
    const jobs = databaseServices.map((service) => `migrate-${service}`).sort();
    expect(weights('Job').sort()).toEqual(jobs.map((name) => [name, 0]));
    expect(weights('NetworkPolicy').sort()).toEqual(jobs.map((name) => [name, -10]));
    expect(weights('ServiceAccount')).toEqual([['offizin-migrations', -10]]);
    for (const { manifest, pod } of workloads(hooks)) {
      expect(pod.serviceAccountName).toBe('offizin-migrations');
      expect(named(hooks, 'NetworkPolicy', manifest.metadata.name).spec?.['podSelector']).toEqual({
        matchLabels: manifest.metadata.labels && {
          'app.kubernetes.io/name': manifest.metadata.labels['app.kubernetes.io/name'],
          'app.kubernetes.io/component': 'migration',
        },
      });
    }
    const started = workloads(manifestsOf('production', { migrations: { onStart: true } }));
    expect(started.filter(({ manifest }) => manifest.kind === 'Job')).toEqual([]);
  });

  it('rolls apps and operator out with another revision of the secrets, and no server', () => {
    const before = manifestsOf('production');
    const after = manifestsOf('production', { secretRevision: '2' });
    const changed = after.filter((one, index) => JSON.stringify(one) !== JSON.stringify(before[index]));
    const isApp = ({ kind }: Manifest): boolean => kind === 'Deployment';
    expect(changed.map(({ metadata }) => metadata.name)).toEqual(
      after.filter(isApp).map(({ metadata }) => metadata.name),
    );
  });

  it('gives the operator all that its command line and the doctor read, and no app its Secret', () => {
    const manifests = manifestsOf('production+around');
    const [{ pod } = { pod: undefined }] = workloads([named(manifests, 'Deployment', 'operator')]);
    const environment = (pod?.containers[0]?.env ?? []).map(({ name }) =>
      name.replace(/_(KEY|ID)_FILE$/, '_$1'),
    );
    const secrets = Object.keys(kubernetesSecrets['operator'] ?? {});
    // A standby is not everywhere; the two others are those of the client and of Node.js.
    const wanted = installationVariables().map((text) => text.split(' ')[0] ?? '');
    expect([...environment, ...secrets, 'ORDER_CORE_DATABASE_READ_URL', 'NATS_TLS_CA_FILE'].sort()).toEqual(
      [...wanted, 'CALL_KEYS', 'NODE_EXTRA_CA_CERTS', 'OFFIZIN_BASE_URL'].sort(),
    );
    const urls = containerOf(manifestsOf('production+shop-connector'), 'Deployment', 'operator').env;
    expect(
      urls
        ?.find(({ name }) => name === 'MANAGEMENT_URLS')
        ?.value?.split(',')
        .sort(),
    ).toEqual([...appNames, 'connector-edge-sonnen'].map((name) => `http://${name}:9100`).sort());
    const holders = workloads(manifests).filter((one) =>
      one.pod.volumes?.some(({ secret }) => secret?.secretName === 'operator'),
    );
    expect(holders.map(({ manifest }) => manifest.metadata.name)).toEqual(['operator']);
  });

  it('lets the operator reach NATS, PostgreSQL and every process, and nobody reach it', () => {
    const manifests = manifestsOf('one-node');
    const reach = policiesOf(manifests, 'operator', 'operator');
    const ports = (way: string): number[] =>
      reach.flatMap(({ spec }) =>
        ((spec?.[way] ?? []) as { ports: { port: number }[] }[]).flatMap((rule) =>
          rule.ports.map(({ port }) => port),
        ),
      );
    expect([...new Set(ports('egress'))].sort((a, b) => a - b)).toEqual([53, 443, 3000, 4222, 5432, 9100]);
    expect(ports('ingress')).toEqual([]);
    for (const app of appNames) {
      const component = ['gateway', 'connector-edge'].includes(app) ? 'edge' : 'service';
      expect(policiesOf(manifests, app, component).map(({ metadata }) => metadata.name)).toContain(
        'apps-from-operator',
      );
    }
  });

  it('gives every pod the given place, labels and pull secrets, and one app others', () => {
    const tolerations = [{ key: 'only', operator: 'Exists' }];
    const pods = {
      labels: { team: 'a' },
      annotations: { note: 'b' },
      nodeSelector: { disk: 'ssd' },
      tolerations,
    };
    const values = { pods, imagePullSecrets: ['registry'], apps: { catalog: { pod: { tolerations: [] } } } };
    for (const { manifest, labels, pod } of workloads(manifestsOf('production', values))) {
      const { name } = manifest.metadata;
      expect([name, labels['team'], pod.nodeSelector]).toEqual([name, 'a', { disk: 'ssd' }]);
      expect([name, pod.tolerations]).toEqual([name, name.endsWith('catalog') ? undefined : tolerations]);
      expect([name, pod.imagePullSecrets]).toEqual([name, [{ name: 'registry' }]]);
    }
  });

  it('lets a connector and the settings of an app have false, 0 and nothing in place of what they begin with', () => {
    const sonnen = { host: 'a.example', replicas: 0, autoscaling: { enabled: false } };
    const apps = { 'connector-edge': { env: { TRUSTED_PROXIES: '', LOG_LEVEL: 'debug' } } };
    const manifests = manifestsOf('production', { connectors: { sonnen }, apps });
    expect(named(manifests, 'Deployment', 'connector-edge-sonnen').spec?.['replicas']).toBe(0);
    const scaled = manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
    expect(scaled.map(({ metadata }) => metadata.name)).toEqual(['connector-edge', 'gateway']);
    const { env } = containerOf(manifests, 'Deployment', 'connector-edge-sonnen');
    expect(env).toContainEqual({ name: 'LOG_LEVEL', value: 'debug' });
    expect(env).toContainEqual({ name: 'TRUSTED_PROXIES', value: '' });
  });

  it('pins images by their digests', () => {
    const digest = `sha256:${'0a'.repeat(32)}`;
    const manifests = manifestsOf('production', { image: { digest }, nats: { image: { digest } } });
    expect(containerOf(manifests, 'Deployment', 'gateway').image).toBe(
      `registry.example.org/offizin@${digest}`,
    );
    expect(containerOf(manifests, 'Job', 'migrate-catalog').image).toContain(`@${digest}`);
    expect(containerOf(manifests, 'StatefulSet', 'nats').image).toBe(`nats:2.14-alpine@${digest}`);
  });

  it('adds further objects, with templates in them', () => {
    const name = '{{ .Release.Name }}-{{ .Values.hosts.api }}';
    const extraObjects = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }];
    named(manifestsOf('production', { extraObjects }), 'ConfigMap', 'offizin-api.example.org');
  });

  it('makes no Secret, and no policy where they are switched off', () => {
    const kinds = (manifests: Manifest[]): string[] => manifests.map(({ kind }) => kind);
    for (const installation of installations)
      expect(kinds(manifestsOf(installation))).not.toContain('Secret');
    const without = manifestsOf('production', { networkPolicy: { enabled: false, entry: [] } });
    expect(kinds(without)).not.toContain('NetworkPolicy');
  });
});
