import { type AppName, appNames } from '@offizin/local-stack/apps';
import type { DescribedApp } from './described-app';
import { givenSecrets, kubernetesSecrets } from './installation-secrets';

/** Kubernetes manifests as kubectl renders them; only what the checks of this folder look at. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  data?: Record<string, string>;
  spec?: Record<string, unknown>;
}

export interface Container {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value?: string }[];
  ports?: { name: string; containerPort: number }[];
  volumeMounts?: { name: string; mountPath: string; subPath?: string }[];
  securityContext?: {
    allowPrivilegeEscalation?: boolean;
    readOnlyRootFilesystem?: boolean;
    capabilities?: { drop?: string[] };
  };
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  lifecycle?: { preStop?: { sleep?: { seconds: number } } };
  [probe: `${string}Probe`]: { httpGet?: { path: string; port: string | number } } | undefined;
}

export interface PodSpec {
  containers: Container[];
  enableServiceLinks?: boolean;
  automountServiceAccountToken?: boolean;
  terminationGracePeriodSeconds?: number;
  topologySpreadConstraints?: object[];
  securityContext?: { runAsNonRoot?: boolean; runAsUser?: number; seccompProfile?: { type: string } };
  volumes?: {
    name: string;
    secret?: { secretName: string; items?: { key: string; path: string }[] };
    configMap?: { name: string };
  }[];
}

export interface Workload {
  manifest: Manifest;
  labels: Record<string, string>;
  pod: PodSpec;
}

/** Everything that runs pods. */
export function workloads(manifests: readonly Manifest[]): Workload[] {
  return manifests
    .filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind))
    .map((manifest) => {
      const { template } = manifest.spec as {
        template: { metadata: { labels: Record<string, string> }; spec: PodSpec };
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

/** Kubernetes stops a pod after 30 s unless told. */
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
    migration: container.args?.join(' ') === 'migrate',
    image: container.image,
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
function secretFilesOf(pod: PodSpec, container: Container): Record<string, string> {
  const files = (container.volumeMounts ?? []).flatMap(({ name, mountPath }) => {
    const { secret } = (pod.volumes ?? []).find((volume) => volume.name === name) ?? {};
    if (secret === undefined) return [];
    const { secretName, items } = secret;
    const keys = kubernetesSecrets[secretName] ??
      givenSecrets[secretName] ?? { [`(no Secret ${secretName})`]: `Secret ${secretName}` };
    const files = items?.map(({ key, path }) => [path, keys[key] ?? `${key} of ${secretName}`]);
    return (files ?? Object.entries(keys)).map(([file, source]) => [`${mountPath}/${file}`, source]);
  });
  return Object.fromEntries(files) as Record<string, string>;
}

function probesOf(container: Container): DescribedApp['probes'] {
  return (['startupProbe', 'livenessProbe', 'readinessProbe'] as const).map((name) => {
    const { path, port } = container[name]?.httpGet ?? { path: `(no ${name})`, port: -1 };
    return { path, port: portNumber(container, port) };
  });
}
