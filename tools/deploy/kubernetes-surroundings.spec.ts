import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONSOLE_DOOR } from '@offizin/contracts/console/console';
import { openLive } from '@offizin/contracts/console/live';
import { isAllowedAddress } from '@offizin/egress/address-policy';
import { EVENTS_STREAM } from '@offizin/events/event-stream';
import { eventConsumers } from '@offizin/events/unknown-events';
import { REQUEST_TIMEOUT_MS } from '@offizin/http-edge/edge-front';
import { appNames } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { databaseRoles } from '@offizin/local-stack/database-roles';
import { postgresSettings } from '@offizin/local-stack/postgres-settings';
import { secretFileVariable } from '@offizin/runtime/config';
import { MANAGEMENT_PATHS } from '@offizin/runtime/management';
import { describeWithout } from '@offizin/testkit/programs';
import { type AlertRule, alertRules, dashboardTexts } from '@offizin/testkit/observability-files';
import {
  containerOf,
  installations,
  kubernetesApps,
  type Manifest,
  manifestsOf,
  named,
  parseManifests,
  renderProblem,
  servicesOf,
  type Values,
  workloads,
} from './manifests';

const pods = (namespace: string, name: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  podSelector: { matchLabels: { team: name } },
});
const entry = [pods('traefik', 'traefik'), { ipBlock: { cidr: '10.1.0.0/16' } }];
const hosts = { api: 'pharmacy.example.net', shops: ['*.pharmacies.example.net'] };
const listener = (name: string) => ({ name, namespace: 'edge', sectionName: name });
const wayIn = {
  hosts,
  networkPolicy: { entry },
  gatewayApi: { enabled: true, api: listener('api'), shops: listener('shops') },
  ingress: { enabled: true, className: 'traefik' },
};
interface Rule {
  matches: { path: { value: string } }[];
  backendRefs: { name: string; port: number }[];
  timeouts: { request: string };
}

interface Backend {
  name: string;
  port: { port: number } | { name: string };
}

/** Services that routes and ingresses lead to. */
function backendsOf(manifests: Manifest[]): Backend[] {
  return manifests.flatMap(({ kind, spec }): Backend[] => {
    if (kind === 'HTTPRoute')
      return (spec?.['rules'] as Rule[]).flatMap(({ backendRefs }) =>
        backendRefs.map(({ name, port }) => ({ name, port: { port } })),
      );
    if (kind !== 'Ingress') return [];
    const rules = spec?.['rules'] as {
      http: { paths: { backend: { service: { name: string; port: { name: string } } } }[] };
    }[];
    return rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service));
  });
}

/** The origin that the console accepts, and the beginning of its links. */
function publicUrlsOf(manifests: Manifest[]): (string | undefined)[] {
  const names = { gateway: 'PUBLIC_BASE_URL', 'order-core': 'CONSOLE_BASE_URL' };
  return Object.entries(names).map(
    ([app, name]) => containerOf(manifests, 'Deployment', app).env?.find((one) => one.name === name)?.value,
  );
}

const egressOf = (manifests: Manifest[], name: string): unknown =>
  named(manifests, 'NetworkPolicy', name).spec?.['egress'];
const onlyTo = (pods: object, port: number) => [{ to: [pods], ports: [{ protocol: 'TCP', port }] }];

/** Production, with further values. */
const withValues = (values: Values): Manifest[] => manifestsOf('production', values);

describeWithout(renderProblem, 'what surrounds the apps', () => {
  it.each(installations)('of %s runs nobody as root, and mounts no token of a service account', (name) => {
    for (const { manifest, pod } of workloads(manifestsOf(name))) {
      const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext ?? {};
      const found = { runAsNonRoot, root: runAsUser === 0, seccomp: seccompProfile?.type };
      expect([manifest.metadata.name, found, pod.automountServiceAccountToken]).toEqual([
        manifest.metadata.name,
        { runAsNonRoot: true, root: false, seccomp: 'RuntimeDefault' },
        false,
      ]);
      for (const { resources, securityContext } of pod.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(Object.keys(resources?.requests ?? {})).toEqual(['cpu', 'memory']);
        expect(resources?.limits?.['memory']).toBeDefined();
      }
    }
  });

  it.each(['one-node', 'production'])('of %s lets the console sign in on the host of its route', (name) => {
    const manifests = manifestsOf(name);
    const [host] = named(manifests, 'HTTPRoute', 'gateway').spec?.['hostnames'] as string[];
    expect(publicUrlsOf(manifests)).toEqual([`https://${host}`, `https://${host}`]);
  });

  it('with other hosts takes each from its one place', () => {
    const manifests = withValues(wayIn);
    expect(JSON.stringify(manifests)).not.toMatch(/(api|shops)\.example\.org/);
    const { api, shops } = hosts;
    for (const [app, host] of Object.entries({ gateway: api, 'connector-edge': shops[0] })) {
      expect(named(manifests, 'HTTPRoute', app).spec).toMatchObject({ hostnames: [host] });
      expect(named(manifests, 'Ingress', app).spec).toMatchObject({
        tls: [{ hosts: [host] }],
        rules: [{ host }],
      });
    }
    expect(publicUrlsOf(manifests)).toEqual([`https://${api}`, `https://${api}`]);
  });

  it('of production spreads, keeps one replica at least and scales what scales', () => {
    const manifests = manifestsOf('production+keda');
    for (const app of appNames) {
      const [{ pod, labels } = { pod: undefined, labels: {} }] = workloads([
        named(manifests, 'Deployment', app),
      ]);
      expect(pod?.topologySpreadConstraints).toHaveLength(2);
      const budget = named(manifests, 'PodDisruptionBudget', app).spec ?? {};
      expect(labels).toMatchObject((budget['selector'] as { matchLabels: object }).matchLabels);
    }
    const budgets = manifests.filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets.map(({ metadata }) => metadata.name).sort()).toEqual([...appNames, 'nats'].sort());
    for (const { spec } of budgets) expect(spec?.['unhealthyPodEvictionPolicy']).toBe('AlwaysAllow');
    const scaled = ['HorizontalPodAutoscaler', 'ScaledObject'].flatMap((kind) =>
      manifests
        .filter((one) => one.kind === kind)
        .map(({ spec }) => (spec?.['scaleTargetRef'] as { name: string }).name),
    );
    expect(scaled.sort()).toEqual(['connector-edge', 'gateway', 'webhook-worker']);
    for (const name of scaled)
      expect(named(manifests, 'Deployment', name).spec).not.toHaveProperty('replicas');
  });

  it('lets KEDA read the lag of the worker’s consumer', () => {
    expect(eventConsumers).toContain('webhook-worker');
    const metadata: unknown = expect.objectContaining({ consumer: 'webhook-worker', stream: EVENTS_STREAM });
    const scaled = named(manifestsOf('production+keda'), 'ScaledObject', 'webhook-worker');
    expect(scaled.spec?.['triggers']).toMatchObject([{ metadata }]);
  });

  it('scrapes the metrics of all five apps', () => {
    const manifests = manifestsOf('production');
    for (const app of appNames) {
      const { selector, endpoints } = named(manifests, 'ServiceMonitor', app).spec ?? {};
      const { matchLabels } = selector as { matchLabels: object };
      expect(named(manifests, 'Service', app).metadata.labels).toMatchObject(matchLabels);
      expect(endpoints).toEqual([{ port: 'management', path: MANAGEMENT_PATHS.metrics, interval: '15s' }]);
    }
  });

  it('gives Prometheus the alerts, with links to the given runbook, and Grafana the dashboards', () => {
    const runbook = 'https://pages.example.net/runbook.html';
    const prometheus = [pods('metrics', 'prometheus')];
    const manifests = withValues({ monitoring: { runbook, prometheus, labels: { release: 'prometheus' } } });
    const rule = named(manifests, 'PrometheusRule', 'offizin');
    const expected = alertRules().map((one) => {
      const runbook_url = `${runbook}#${one.alert.toLowerCase()}`;
      return { ...one, annotations: { ...one.annotations, runbook_url } };
    });
    const groups = rule.spec?.['groups'] as { rules: AlertRule[] }[];
    expect(groups.flatMap(({ rules }) => rules)).toEqual(expected);
    for (const one of [rule, named(manifests, 'ServiceMonitor', 'gateway')])
      expect(one.metadata.labels).toMatchObject({ release: 'prometheus' });
    const shown = named(manifests, 'ConfigMap', 'offizin-dashboards');
    expect(shown.data).toEqual(dashboardTexts());
    expect(shown.metadata.labels).toMatchObject({ grafana_dashboard: '1' });
    const { ingress } = named(manifests, 'NetworkPolicy', 'metrics-from-monitoring').spec ?? {};
    expect(ingress).toEqual([expect.objectContaining({ from: prometheus })]);
  });

  it('sends traces to the given collector, and lets them out to its pods', () => {
    const endpoint = 'https://alloy.traces:4319';
    const alloy = pods('traces', 'alloy');
    const manifests = withValues({ tracing: { endpoint, addresses: [alloy], port: 14_319 } });
    for (const app of appNames)
      expect(containerOf(manifests, 'Deployment', app).env).toContainEqual({
        name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
        value: endpoint,
      });
    expect(egressOf(manifests, 'apps-to-collector')).toEqual(onlyTo(alloy, 14_319));
  });

  it('gives order-core and the operator alone the given bucket, its key and the way to its servers', () => {
    const minio = pods('objects', 'minio');
    const store = { url: 'http://minio.objects:9000/offizin', region: 'eu-central-1', mode: 'keep' };
    const manifests = withValues({
      documentStore: { enabled: true, ...store, afterDays: 90, addresses: [minio], port: 9000 },
    });
    const isChanged = ({ kind, metadata: { name } }: Manifest): boolean =>
      (kind === 'Deployment' && ['order-core', 'operator'].includes(name)) ||
      name === 'order-core-to-document-store';
    expect(manifests.filter((one) => !isChanged(one))).toEqual(
      withValues({}).filter((one) => !isChanged(one)),
    );
    const core = kubernetesApps('', manifests).find(
      ({ app, migration }) => app === 'order-core' && !migration,
    );
    expect(core?.environment).toMatchObject({
      DOCUMENT_STORE_URL: store.url,
      DOCUMENT_STORE_REGION: store.region,
      DOCUMENT_STORE_MODE: store.mode,
      DOCUMENT_STORE_AFTER_DAYS: '90',
    });
    for (const setting of ['DOCUMENT_STORE_ACCESS_KEY_ID', 'DOCUMENT_STORE_SECRET_ACCESS_KEY'])
      expect(core?.secretFiles[core.environment[secretFileVariable(setting)] ?? '']).toBe(setting);
    expect(egressOf(manifests, 'order-core-to-document-store')).toEqual(onlyTo(minio, 9000));
  });

  it('gives the routes and the ingresses Services that exist, and the given parents, class and callers', () => {
    const manifests = withValues(wayIn);
    for (const app of ['gateway', 'connector-edge']) {
      expect(named(manifests, 'Ingress', app).spec).toMatchObject({ ingressClassName: 'traefik' });
      expect(named(manifests, 'NetworkPolicy', `entry-to-${app}`).spec).toMatchObject({
        ingress: [{ from: entry }],
      });
    }
    const { api, shops } = wayIn.gatewayApi;
    expect(named(manifests, 'HTTPRoute', 'gateway').spec?.['parentRefs']).toEqual([api]);
    expect(named(manifests, 'HTTPRoute', 'connector-edge').spec?.['parentRefs']).toEqual([shops]);
    const all = [manifests, manifestsOf('production+shop-connector')];
    expect(all.map((one) => backendsOf(one).length)).toEqual([5, 4]);
    for (const one of all)
      for (const { name, port } of backendsOf(one))
        expect(named(one, 'Service', name).spec?.['ports']).toContainEqual(expect.objectContaining(port));
  });

  it('lets a Gateway wait longer than an edge does, and for the stream of events without an end', () => {
    const rules = manifestsOf('production+shop-connector').flatMap(({ kind, spec }) =>
      kind === 'HTTPRoute' ? (spec?.['rules'] as Rule[]) : [],
    );
    const waits = rules.map(({ matches, timeouts }) => [matches[0]?.path.value, timeouts.request]);
    expect(5 * 60_000).toBeGreaterThan(2 * REQUEST_TIMEOUT_MS);
    expect(waits.sort()).toEqual([
      ...Array.from({ length: 3 }, () => ['/', '5m']),
      [`${CONSOLE_DOOR}${openLive.path}`, '0s'],
    ]);
  });

  it('gives a connector of its own its own pods, and its host the route to them', () => {
    const manifests = manifestsOf('production+shop-connector');
    const names = ['connector-edge-sonnen', 'connector-edge'];
    const served = names.map((name) => {
      const [{ labels } = { labels: {} }] = workloads([named(manifests, 'Deployment', name)]);
      return servicesOf(labels, manifests).map(({ metadata }) => metadata.name);
    });
    expect(served).toEqual(names.map((name) => [name]));
    const hostnames = names.map((name) => named(manifests, 'HTTPRoute', name).spec?.['hostnames']);
    expect(hostnames).toEqual([['bestellung.sonnen-apotheke.example'], ['*.shops.example.org']]);
  });
});

const read = (path: string): string => readFileSync(join(checkoutRoot, path), 'utf8');

function policy(name: string): Manifest['spec'] {
  return named(manifestsOf('production'), 'NetworkPolicy', name).spec;
}

interface EgressRule {
  to: { ipBlock?: { cidr: string; except: string[] } }[];
  ports: { port: number }[];
}

/** Inside a wider exception, or outside 2000::/3, which alone is opened. */
const COVERED_ELSEWHERE = [
  '0.0.0.0/32',
  '255.255.255.255/32',
  '2001::/32',
  '2001:2::/48',
  '::/128',
  '::1/128',
  '64:ff9b:1::/48',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

describeWithout(renderProblem, 'the network policies', () => {
  it('deny everything that no other policy allows', () => {
    expect(policy('default-deny')).toEqual({
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
    });
  });

  it('let services out on 443, and not to the addresses that libs/egress refuses', () => {
    const rules = policy('outbound-to-the-internet')?.['egress'] as EgressRule[];
    expect(rules.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([443]);
    const blocks = rules.flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock ?? []));
    expect(blocks.map(({ cidr }) => cidr)).toEqual(['0.0.0.0/0', '2000::/3']);
    const excepted = blocks.flatMap(({ except }) => except);
    const isRefused = (block: string): boolean =>
      !isAllowedAddress(block.split('/')[0] ?? '', { allowLoopback: false });
    expect(excepted.filter((block) => !isRefused(block))).toEqual([]);
    const refused = [...read('libs/egress/address-policy.ts').matchAll(/ipv[46]Block\('([^']+)'/g)].map(
      ([, block = '']) => block,
    );
    expect(refused.length).toBeGreaterThan(20);
    expect(refused.filter((block) => ![...excepted, ...COVERED_ELSEWHERE].includes(block))).toEqual([]);
  });
});

// The kinds of CloudNativePG have no schema here; the operator refuses unknown fields.

/** The operator sets them, all to on. */
const SET_BY_OPERATOR = ['fsync', 'synchronous_commit', 'full_page_writes'];

describe('the example of CloudNativePG', () => {
  const manifests = parseManifests(read('deploy/examples/cloudnative-pg/postgres.yaml'));
  const cluster = named(manifests, 'Cluster', 'postgres').spec as {
    instances: number;
    resources: { limits: { memory: string } };
    bootstrap: {
      initdb: { postInitApplicationSQLRefs: { configMapRefs: { name: string; key: string }[] } };
    };
    postgresql: { synchronous: object; parameters: Record<string, string> };
    managed: { roles: { name: string; inRoles?: string[] }[] };
    plugins: { isWALArchiver: boolean; parameters: { barmanObjectName: string } }[];
  };

  it('runs PostgreSQL with the settings of npm start, for its limit of memory', () => {
    const memoryMb = 1_024 * Number(/^(\d+)Gi$/.exec(cluster.resources.limits.memory)?.[1]);
    const settings = Object.entries(postgresSettings(memoryMb));
    const wanted = settings.filter(([name]) => !SET_BY_OPERATOR.includes(name));
    expect(cluster.postgresql.parameters).toEqual({
      ...Object.fromEntries(wanted),
      archive_timeout: '60s',
      hot_standby_feedback: 'on',
    });
  });

  it('has a synchronous standby, and makes the roles by the very file of deploy/postgres', () => {
    expect(cluster.instances).toBe(3);
    expect(cluster.postgresql.synchronous).toEqual({
      method: 'any',
      number: 1,
      dataDurability: 'required',
    });
    expect(cluster.managed.roles.map(({ name }) => name)).toEqual(Object.values(databaseRoles));
    const granted = [...read('deploy/postgres/roles.sql').matchAll(/GRANT (pg_\w+) TO (\w+);/g)];
    expect(
      cluster.managed.roles.flatMap(({ name, inRoles = [] }) => inRoles.map((role) => [role, name])),
    ).toEqual(granted.map(([, role, name]) => [role, name]));
    const [{ name, key } = { name: '', key: '' }] =
      cluster.bootstrap.initdb.postInitApplicationSQLRefs.configMapRefs;
    const step = `create configmap ${name} --from-file=deploy/postgres/${key}`;
    expect(read('docs/operate/operations.md').replaceAll(/\s+/g, ' ')).toContain(step);
  });

  it('archives every change where the nightly backup goes', () => {
    const [archiver] = cluster.plugins;
    expect(archiver?.isWALArchiver).toBe(true);
    named(manifests, 'ObjectStore', archiver?.parameters.barmanObjectName ?? '');
    expect(named(manifests, 'ScheduledBackup', 'nightly').spec).toMatchObject({
      cluster: { name: 'postgres' },
      method: 'plugin',
    });
  });
});
