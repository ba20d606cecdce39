import { join } from 'node:path';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import { parseAllDocuments } from 'yaml';
import { type AppName, appNames } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import type { DescribedApp } from './app-drift';
import { helm, type HelmMajor, helmProblem } from './helm';
import { givenSecrets, kubernetesSecrets } from './installation-secrets';

// deploy/chart as Helm renders it, where there is one, and what the specs read of it.

export const renderProblem = helmProblem();

/** Sets of values: files of deploy/chart/examples, later ones over earlier ones. Together they use every value. */
export const installations = [
  'one-node',
  'production',
  'production+nats-tls',
  'production+keda',
  'production+shop-connector',
  'production+around',
];
export type Values = Record<string, unknown>;

export const CHART = join(checkoutRoot, 'deploy/chart');

/** Of a command of Helm that takes the chart and values. */
export function chartArguments(command: string[], installation: string, chart = [CHART]): string[] {
  const files = installation.split('+').map((name) => join(CHART, 'examples', `${name}.yaml`));
  return [...command, ...chart, '--namespace', 'offizin', ...files.flatMap((file) => ['--values', file])];
}

/** What Helm prints; further values go over those of the files. Reads files only, never the network. */
export function rendered(installation: string, values: Values = {}, major: HelmMajor = 3): string {
  const args = chartArguments(['template', 'offizin'], installation);
  // JSON is YAML.
  return helm(major, [...args, '--values', '-'], JSON.stringify(values));
}

export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

const known = new Map<string, Manifest[]>();

/** Each installation is rendered once; a test that changes manifests takes a copy. */
export function manifestsOf(installation: string, values: Values = {}): Manifest[] {
  const key = `${installation} ${JSON.stringify(values)}`;
  const manifests = known.get(key) ?? parseManifests(rendered(installation, values));
  known.set(key, manifests);
  return structuredClone(manifests);
}

export function named(manifests: Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  if (!found) throw new Error(`no ${kind} ${name}`);
  return found;
}

export function containerOf(manifests: Manifest[], kind: string, name: string): Container {
  const [container] = workloads([named(manifests, kind, name)])[0]?.pod.containers ?? [];
  if (!container) throw new Error(`no container in ${kind} ${name}`);
  return container;
}

/** Only what the checks of this folder look at. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  data?: Record<string, string>;
  spec?: Record<string, unknown>;
}

export type Container = IContainer;

interface Workload {
  manifest: Manifest;
  labels: Record<string, string>;
  pod: IPodSpec;
}

/** Everything that runs pods. */
export function workloads(manifests: readonly Manifest[]): Workload[] {
  return manifests
    .filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind))
    .map((manifest) => {
      const { template } = manifest.spec as {
        template: { metadata: { labels: Record<string, string> }; spec: IPodSpec };
      };
      return { manifest, labels: template.metadata.labels, pod: template.spec };
    });
}

/** The apps and their migrations, as the manifests say them. */
export function kubernetesApps(where: string, manifests: readonly Manifest[]): DescribedApp[] {
  return workloads(manifests).flatMap((workload) => {
    const app = appNames.find((name) => name === workload.labels['app.kubernetes.io/name']);
    return app ? [describe(where, app, workload, manifests)] : [];
  });
}

/** Kubernetes kills a pod after 30 s by default. */
const defaultGraceSeconds = 30;

function describe(
  where: string,
  app: AppName,
  { manifest, labels, pod }: Workload,
  all: readonly Manifest[],
) {
  const [container] = pod.containers;
  if (!container) throw new Error(`${manifest.kind} ${manifest.metadata.name} has no container`);
  const described: DescribedApp = {
    where: `${where}, ${manifest.kind} ${manifest.metadata.name}`,
    app,
    migration: container.args?.[0] === 'migrate',
    image: container.image ?? '',
    arguments: container.args ?? [],
    environment: Object.fromEntries((container.env ?? []).map(({ name, value = '' }) => [name, value])),
    secretFiles: secretFilesOf(pod, container),
    probes: probesOf(container),
    servedPorts: servicesOf(labels, all).flatMap((service) => portsServed(service, container)),
    graceSeconds: pod.terminationGracePeriodSeconds ?? defaultGraceSeconds,
    preStopSeconds: container.lifecycle?.preStop?.sleep?.seconds ?? 0,
    hardening: {
      readOnlyRoot: container.securityContext?.readOnlyRootFilesystem === true,
      noNewPrivileges: container.securityContext?.allowPrivilegeEscalation === false,
      dropsAllCapabilities: container.securityContext?.capabilities?.drop?.includes('ALL') === true,
    },
  };
  return described;
}

/** Services that lead to pods with these labels. */
export function servicesOf(labels: Record<string, string>, all: readonly Manifest[]): Manifest[] {
  return all.filter(({ kind, spec }) => {
    const selector = (spec?.['selector'] ?? {}) as Record<string, string>;
    return kind === 'Service' && Object.entries(selector).every(([name, value]) => labels[name] === value);
  });
}

/** The container's port behind each port of the Service; -1 for a name that the container does not have. */
function portsServed(service: Manifest, container: Container): number[] {
  const ports = (service.spec?.['ports'] ?? []) as { port: number; targetPort: string | number }[];
  return ports.flatMap(({ port, targetPort }) => [port, portNumber(container, targetPort) ?? -1]);
}

function portNumber({ ports = [] }: Container, port: string | number): number | undefined {
  return typeof port === 'number' ? port : ports.find(({ name }) => name === port)?.containerPort;
}

/** Every key of a Secret, or those that are chosen, is a file below the place where it is mounted. */
function secretFilesOf(pod: IPodSpec, container: Container): Record<string, string> {
  const files = (container.volumeMounts ?? []).flatMap(({ name, mountPath }) => {
    const { secret } = (pod.volumes ?? []).find((volume) => volume.name === name) ?? {};
    if (secret === undefined) return [];
    const { secretName = '', items } = secret;
    const keys = kubernetesSecrets[secretName] ??
      givenSecrets[secretName] ?? { [`(no Secret ${secretName})`]: `Secret ${secretName}` };
    const files = items?.map(({ key, path }) => [path, keys[key] ?? `${key} of ${secretName}`]);
    return (files ?? Object.entries(keys)).map(([file, source]) => [`${mountPath}/${file}`, source]);
  });
  return Object.fromEntries(files) as Record<string, string>;
}

function probesOf(container: Container): DescribedApp['probes'] {
  return (['startupProbe', 'livenessProbe', 'readinessProbe'] as const).map((name) => {
    const { path = '', port } = container[name]?.httpGet ?? { path: `(no ${name})`, port: -1 };
    return { path, port: portNumber(container, port) };
  });
}
