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
  composed,
  containerOf,
  kubernetesApps,
  type Manifest,
  manifestsOf,
  named,
  overlays,
  parseManifests,
  renderProblem,
  servicesOf,
  workloads,
} from './manifests';

const pods = (namespace: string, name: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  podSelector: { matchLabels: { team: name } },
});
const given = {
  hosts: { api: 'pharmacy.example.net', shops: '*.pharmacies.example.net' },
  entry: [pods('traefik', 'traefik'), { ipBlock: { cidr: '10.1.0.0/16' } }],
  gateway: { api: { name: 'api', namespace: 'edge' }, shops: { name: 'shops', namespace: 'edge' } },
  ingressClass: 'traefik',
  runbook: 'https://pages.example.net/runbook.html',
  prometheus: pods('metrics', 'prometheus'),
  collector: { endpoint: 'https://alloy.traces:4319', port: 14_319, pods: pods('traces', 'alloy') },
  documentStore: {
    url: 'http://minio.objects:9000/offizin',
    region: 'eu-central-1',
    mode: 'keep',
    afterDays: '90',
    port: 9000,
    servers: pods('objects', 'minio'),
  },
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

const withGivenValues = { resources: ['base'], surroundings: given };

describeWithout(renderProblem, 'what surrounds the apps', () => {
  it.each(overlays)('of %s runs nobody as root, and mounts no token of a service account', (folder) => {
    for (const { manifest, pod } of workloads(manifestsOf(folder))) {
      const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext ?? {};
      const found = { runAsNonRoot, root: runAsUser === 0, seccomp: seccompProfile?.type };
      expect([manifest.metadata.name, found, pod.automountServiceAccountToken]).toEqual([
        manifest.metadata.name,
        { runAsNonRoot: true, root: false, seccomp: 'RuntimeDefault' },
        false,
      ]);
      for (const { resources, securityContext } of pod.containers) {
        expect(securityContext?.readOnlyRootFilesystem).toBe(true);
        expect(Object.keys(resources?.requests ?? {})).toEqual(['cpu', 'memory']);
        expect(resources?.limits?.['memory']).toBeDefined();
      }
    }
  });

  it.each(overlays)('of %s lets the console sign in on the host that the route leads to it', (folder) => {
    const manifests = manifestsOf(folder);
    const [host] = named(manifests, 'HTTPRoute', 'gateway').spec?.['hostnames'] as string[];
    expect(publicUrlsOf(manifests)).toEqual([`https://${host}`, `https://${host}`]);
  });

  it('with other hosts takes each from its one place', () => {
    const components = ['components/gateway-api', 'components/ingress'];
    const manifests = composed({ ...withGivenValues, components });
    expect(JSON.stringify(manifests)).not.toMatch(/(api|shops)\.example\.org/);
    const { api, shops } = given.hosts;
    for (const [app, host] of Object.entries({ gateway: api, 'connector-edge': shops })) {
      expect(named(manifests, 'HTTPRoute', app).spec).toMatchObject({ hostnames: [host] });
      expect(named(manifests, 'Ingress', app).spec).toMatchObject({
        tls: [{ hosts: [host] }],
        rules: [{ host }],
      });
    }
    expect(publicUrlsOf(manifests)).toEqual([`https://${api}`, `https://${api}`]);
  });

  it('of production spreads, keeps one replica at least and scales what scales', () => {
    const manifests = manifestsOf('overlays/production-keda');
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
    const scaled = named(manifestsOf('overlays/production-keda'), 'ScaledObject', 'webhook-worker');
    expect(scaled.spec?.['triggers']).toMatchObject([{ metadata }]);
  });

  it('scrapes the metrics of all five apps', () => {
    const manifests = manifestsOf('overlays/production');
    for (const app of appNames) {
      const { selector, endpoints } = named(manifests, 'ServiceMonitor', app).spec ?? {};
      const { matchLabels } = selector as { matchLabels: object };
      expect(named(manifests, 'Service', app).metadata.labels).toMatchObject(matchLabels);
      expect(endpoints).toEqual([{ port: 'management', path: MANAGEMENT_PATHS.metrics, interval: '15s' }]);
    }
  });

  it('gives Prometheus the alerts, with links to the given runbook, and Grafana the dashboards', () => {
    const manifests = composed({ ...withGivenValues, components: ['components/monitoring'] });
    const groups = named(manifests, 'PrometheusRule', 'offizin').spec?.['groups'] as { rules: AlertRule[] }[];
    const expected = alertRules().map((rule) => {
      const runbook_url = `${given.runbook}#${rule.alert.toLowerCase()}`;
      return { ...rule, annotations: { ...rule.annotations, runbook_url } };
    });
    expect(groups.flatMap(({ rules }) => rules)).toEqual(expected);
    const shown = named(manifests, 'ConfigMap', 'offizin-dashboards');
    expect(shown.data).toEqual(dashboardTexts());
    expect(shown.metadata.labels).toMatchObject({ grafana_dashboard: '1' });
    const { ingress } = named(manifests, 'NetworkPolicy', 'metrics-from-monitoring').spec ?? {};
    expect(ingress).toEqual([expect.objectContaining({ from: [given.prometheus] })]);
  });

  it('sends traces to the given collector, and lets them out to its pods', () => {
    const manifests = composed({ ...withGivenValues, components: ['components/tracing'] });
    for (const app of appNames)
      expect(containerOf(manifests, 'Deployment', app).env).toContainEqual({
        name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
        value: given.collector.endpoint,
      });
    const { pods: collector, port } = given.collector;
    expect(egressOf(manifests, 'apps-to-collector')).toEqual(onlyTo(collector, port));
  });

  it('gives order-core alone the given bucket, its key and the way to its servers', () => {
    const manifests = composed({ ...withGivenValues, components: ['components/document-store'] });
    const isChanged = ({ kind, metadata: { name } }: Manifest): boolean =>
      (kind === 'Deployment' && name === 'order-core') || name === 'order-core-to-document-store';
    expect(manifests.filter((one) => !isChanged(one))).toEqual(
      composed({ ...withGivenValues, components: [] }).filter((one) => !isChanged(one)),
    );
    const core = kubernetesApps('', manifests).find(({ app }) => app === 'order-core');
    const { url, region, mode, afterDays, port, servers } = given.documentStore;
    expect(core?.environment).toMatchObject({
      DOCUMENT_STORE_URL: url,
      DOCUMENT_STORE_REGION: region,
      DOCUMENT_STORE_MODE: mode,
      DOCUMENT_STORE_AFTER_DAYS: afterDays,
    });
    for (const setting of ['DOCUMENT_STORE_ACCESS_KEY_ID', 'DOCUMENT_STORE_SECRET_ACCESS_KEY'])
      expect(core?.secretFiles[core.environment[secretFileVariable(setting)] ?? '']).toBe(setting);
    expect(egressOf(manifests, 'order-core-to-document-store')).toEqual(onlyTo(servers, port));
  });

  it('does not render monitoring, traces or a document store without what is around', () => {
    for (const component of ['components/monitoring', 'components/tracing', 'components/document-store'])
      expect(() => composed({ resources: ['base'], components: [component] })).toThrow(/Surroundings/);
  });

  it('gives the routes and the ingresses Services that exist, and the given parents, class and callers', () => {
    const manifests = composed({
      ...withGivenValues,
      components: ['components/gateway-api', 'components/ingress'],
    });
    for (const app of ['gateway', 'connector-edge']) {
      expect(named(manifests, 'Ingress', app).spec).toMatchObject({ ingressClassName: given.ingressClass });
      expect(named(manifests, 'NetworkPolicy', `entry-to-${app}`).spec).toMatchObject({
        ingress: [{ from: given.entry }],
      });
    }
    expect(named(manifests, 'HTTPRoute', 'gateway').spec?.['parentRefs']).toEqual([given.gateway.api]);
    expect(named(manifests, 'HTTPRoute', 'connector-edge').spec?.['parentRefs']).toEqual([
      given.gateway.shops,
    ]);
    const all = [...manifests, ...manifestsOf('examples/shop-connector')];
    expect(backendsOf(all)).toHaveLength(6);
    for (const { name, port } of backendsOf(all))
      expect(named(all, 'Service', name).spec?.['ports']).toContainEqual(expect.objectContaining(port));
  });

  it('lets a Gateway wait longer than an edge does, and for the stream of events without an end', () => {
    const routes = [...manifestsOf('overlays/one-node'), ...manifestsOf('examples/shop-connector')];
    const rules = routes.flatMap(({ kind, spec }) =>
      kind === 'HTTPRoute' ? (spec?.['rules'] as Rule[]) : [],
    );
    const waits = rules.map(({ matches, timeouts }) => [matches[0]?.path.value, timeouts.request]);
    expect(5 * 60_000).toBeGreaterThan(2 * REQUEST_TIMEOUT_MS);
    expect(waits.sort()).toEqual([
      ...Array.from({ length: 3 }, () => ['/', '5m']),
      [`${CONSOLE_DOOR}${openLive.path}`, '0s'],
    ]);
  });

  it('gives a connector of its own its own pods', () => {
    const shared = manifestsOf('overlays/production');
    const own = manifestsOf('examples/shop-connector');
    const [ofShop] = workloads(own);
    const [forAll] = workloads([named(shared, 'Deployment', 'connector-edge')]);
    const names = [ofShop, forAll].map((one) =>
      servicesOf(one?.labels ?? {}, [...shared, ...own]).map(({ metadata }) => metadata.name),
    );
    expect(names).toEqual([['connector-edge-sonnen'], ['connector-edge']]);
  });
});

const read = (path: string): string => readFileSync(join(checkoutRoot, path), 'utf8');
const policies = parseManifests(read('deploy/kubernetes/base/network-policies.yaml'));

function policy(name: string): Manifest['spec'] {
  return policies.find(({ metadata }) => metadata.name === name)?.spec;
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

describe('the network policies', () => {
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

describeWithout(renderProblem, 'the example of CloudNativePG', () => {
  const manifests = manifestsOf('examples/cloudnative-pg');
  const cluster = named(manifests, 'Cluster', 'postgres').spec as {
    instances: number;
    resources: { limits: { memory: string } };
    bootstrap: {
      initdb: { postInitApplicationSQLRefs: { configMapRefs: { name: string; key: string }[] } };
    };
    postgresql: { synchronous: object; parameters: Record<string, string> };
    managed: { roles: { name: string }[] };
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
    const [{ name, key } = { name: '', key: '' }] =
      cluster.bootstrap.initdb.postInitApplicationSQLRefs.configMapRefs;
    expect(named(manifests, 'ConfigMap', name).data?.[key]).toContain('CREATE ROLE');
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
