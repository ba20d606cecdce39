import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import { parseAllDocuments } from 'yaml';
import { type AppName, appNames } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import type { DescribedApp } from './app-drift';
import { givenSecrets, kubernetesSecrets } from './installation-secrets';

// deploy/kubernetes as kubectl renders it, where there is one, and what the specs read of it.

/** First kubectl whose built-in kustomize (5) knows all that deploy/kubernetes uses. */
const OLDEST_MINOR = 27;

/**
 * Why `kubectl kustomize` cannot be used on this machine, or undefined when it can. Debian's package, which `npm test`
 * installs, is too old in bookworm (kubectl 1.20 has kustomize 2, without components).
 */
function kustomizeProblem(): string | undefined {
  const minor = kubectlMinor();
  if (minor === undefined) return 'there is no kubectl';
  return minor < OLDEST_MINOR ? `kubectl 1.${minor} is older than 1.${OLDEST_MINOR}` : undefined;
}

/** `"gitVersion": "v1.32.4"` → 32 */
function kubectlMinor(): number | undefined {
  const { stdout } = spawnSync('kubectl', ['version', '--client', '--output=json'], { encoding: 'utf8' });
  const minor = /"gitVersion": "v1\.(\d+)/.exec(stdout ?? '')?.[1];
  return minor === undefined ? undefined : Number(minor);
}

/** The manifests that a folder with a kustomization renders to. Reads files only, never the network. */
function render(folder: string): Manifest[] {
  const result = spawnSync('kubectl', ['kustomize', folder], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.status !== 0)
    throw new Error(`kubectl kustomize ${folder}: ${result.stderr || String(result.error)}`);
  return parseManifests(result.stdout);
}

export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

export const renderProblem = kustomizeProblem();

export const overlays = [
  'overlays/one-node',
  'overlays/production',
  'overlays/production-keda',
  'overlays/production-tls',
];
/** These hold some of the apps only. */
export const parts = ['overlays/production-migration', 'examples/shop-connector'];

const rendered = new Map<string, Manifest[]>();

/** Each folder is rendered once; a test that changes manifests takes a copy. */
export function manifestsOf(folder: string): Manifest[] {
  const known = rendered.get(folder) ?? render(join(checkoutRoot, 'deploy/kubernetes', folder));
  rendered.set(folder, known);
  return structuredClone(known);
}

interface Composition {
  /** Folders of deploy/kubernetes. */
  resources: string[];
  components: string[];
  /** Values for the components, in place of an overlay's `surroundings.yaml`. */
  surroundings?: object;
  /** Over those of the parts. */
  images?: object[];
}

/** Renders an overlay that is composed of parts. */
export function composed({ resources, components, surroundings, images = [] }: Composition): Manifest[] {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'offizin-overlay-')));
  const fromHere = (part: string): string => relative(folder, join(checkoutRoot, 'deploy/kubernetes', part));
  const annotations = { 'config.kubernetes.io/local-config': 'true' };
  const values = { apiVersion: 'offizin.example.org/v1', kind: 'Surroundings', spec: surroundings };
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [...resources.map(fromHere), ...(surroundings ? ['surroundings.yaml'] : [])],
    components: components.map(fromHere),
    images,
  };
  try {
    const files = {
      'kustomization.yaml': kustomization,
      'surroundings.yaml': { ...values, metadata: { name: 'given', annotations } },
    };
    // JSON is YAML.
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder, name), JSON.stringify(content));
    return render(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Production with a component that its overlay leaves to choose. */
export const withTraces: Composition = {
  resources: ['overlays/production'],
  components: ['components/tracing'],
};
export const withDocumentStore: Composition = {
  resources: ['overlays/production'],
  components: ['components/document-store'],
};

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

/** Kubernetes manifests as kubectl renders them; only what the checks of this folder look at. */
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
