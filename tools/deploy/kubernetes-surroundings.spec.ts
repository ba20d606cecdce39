import { CONSOLE_DOOR } from '@offizin/contracts/console';
import { openLive } from '@offizin/contracts/live';
import { EVENTS_STREAM } from '@offizin/events/event-stream';
import { eventConsumers } from '@offizin/events/unknown-events';
import { REQUEST_TIMEOUT_MS } from '@offizin/http-edge/edge-front';
import { appNames } from '@offizin/local-stack/apps';
import { secretFileVariable } from '@offizin/runtime/config';
import { MANAGEMENT_PATHS } from '@offizin/runtime/management';
import { describeWithout } from '@offizin/testkit/programs';
import { type AlertRule, alertRules, dashboardTexts } from '@offizin/testkit/observability-files';
import { kubernetesSecretManifests, kubernetesSecrets, newSecrets } from './installation-secrets';
import { candidateMinor, parseManifests } from './kustomize';
import { kubernetesApps, type Manifest, servicesOf, workloads } from './manifests';
import { schemaProblems } from './manifest-schemas';
import { composed, containerOf, manifestsOf, named, renderProblem, overlays } from './rendered-manifests';

const secrets = newSecrets();

const pods = (namespace: string, name: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  podSelector: { matchLabels: { team: name } },
});
const given = {
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
    const { triggers } = named(manifestsOf('overlays/production-keda'), 'ScaledObject', 'webhook-worker')
      .spec as {
      triggers: { metadata: Record<string, string> }[];
    };
    expect(eventConsumers).toContain(triggers[0]?.metadata['consumer']);
    expect(triggers[0]?.metadata['consumer']).toBe('webhook-worker');
    expect(triggers[0]?.metadata['stream']).toBe(EVENTS_STREAM);
  });

  it('scrapes the metrics of all five apps', () => {
    const manifests = manifestsOf('overlays/production');
    for (const app of appNames) {
      const { selector, endpoints } = named(manifests, 'ServiceMonitor', app).spec as {
        selector: { matchLabels: Record<string, string> };
        endpoints: { port: string; path: string }[];
      };
      expect(named(manifests, 'Service', app).metadata.labels).toMatchObject(selector.matchLabels);
      expect(endpoints).toEqual([{ port: 'management', path: MANAGEMENT_PATHS.metrics, interval: '15s' }]);
    }
  });

  it('gives Prometheus the alerts, with links to the given runbook, and Grafana the dashboards', () => {
    const manifests = composed({ ...withGivenValues, components: ['components/monitoring'] });
    const { groups } = named(manifests, 'PrometheusRule', 'offizin').spec as {
      groups: { rules: AlertRule[] }[];
    };
    const expected = alertRules().map((rule) => {
      const runbook_url = `${given.runbook}#${rule.alert.toLowerCase()}`;
      return { ...rule, annotations: { ...rule.annotations, runbook_url } };
    });
    expect(groups.flatMap(({ rules }) => rules)).toEqual(expected);
    const shown = named(manifests, 'ConfigMap', 'offizin-dashboards');
    expect(shown.data).toEqual(dashboardTexts());
    expect(shown.metadata.labels).toMatchObject({ grafana_dashboard: '1' });
    const { ingress } = named(manifests, 'NetworkPolicy', 'metrics-from-monitoring').spec as {
      ingress: { from: object[] }[];
    };
    expect(ingress.map(({ from }) => from)).toEqual([[given.prometheus]]);
  });

  it('sends traces to the given collector, and lets them out to its pods', () => {
    const manifests = composed({ ...withGivenValues, components: ['components/tracing'] });
    for (const app of appNames)
      expect(containerOf(manifests, 'Deployment', app).env).toContainEqual({
        name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
        value: given.collector.endpoint,
      });
    const { egress } = named(manifests, 'NetworkPolicy', 'apps-to-collector').spec as { egress: object[] };
    expect(egress).toEqual([
      { to: [given.collector.pods], ports: [{ protocol: 'TCP', port: given.collector.port }] },
    ]);
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
    const { egress } = named(manifests, 'NetworkPolicy', 'order-core-to-document-store').spec as {
      egress: object[];
    };
    expect(egress).toEqual([{ to: [servers], ports: [{ protocol: 'TCP', port }] }]);
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
    expect(
      servicesOf(ofShop?.labels ?? {}, [...shared, ...own]).map(({ metadata }) => metadata.name),
    ).toEqual(['connector-edge-sonnen']);
    expect(
      servicesOf(forAll?.labels ?? {}, [...shared, ...own]).map(({ metadata }) => metadata.name),
    ).toEqual(['connector-edge']);
  });
});

describe('the Secrets that `deploy --kubernetes` writes', () => {
  it('are one for each app and server, valid, and hold what the files of Compose hold', () => {
    const manifests = parseManifests(kubernetesSecretManifests(secrets, 'offizin'));
    expect(manifests.map(({ metadata }) => metadata.name)).toEqual(Object.keys(kubernetesSecrets));
    expect(schemaProblems(manifests)).toEqual([]);
    const values = manifests.flatMap((one) =>
      Object.values((one as Manifest & { stringData: Record<string, string> }).stringData),
    );
    const notForApps = new Set(['NATS_OPERATOR_PASSWORD', 'OPERATOR_CALL_KEYS']);
    const wanted = Object.entries(secrets).filter(([name]) => !notForApps.has(name));
    expect(wanted.filter(([, value]) => !values.includes(value)).map(([name]) => name)).toEqual([]);
  }, 120_000);

  it('cannot be written without one of them', () => {
    expect(() => kubernetesSecretManifests({ ...secrets, MASTER_KEY: '' }, 'offizin')).toThrow(
      'The secret MASTER_KEY is missing.',
    );
  });
});

describe('the package of Debian', () => {
  it.each([
    ['kubernetes-client:\n  Installed: (none)\n  Candidate: 1.20.5+really1.20.2-1.1', 20],
    ['kubernetes-client:\n  Installed: (none)\n  Candidate: 1.32.3+ds-2', 32],
    ['kubernetes-client:\n  Candidate: 1:1.33.1-1', 33],
    ['', undefined],
  ])('of %j is kubectl 1.%s', (policy, minor) => {
    expect(candidateMinor(policy)).toBe(minor);
  });
});
