import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { kustomizeProblem, render } from './kustomize';
import { type Container, type Manifest, workloads } from './manifests';

/** What the specs of this folder have in common: deploy/kubernetes as kubectl renders it, where there is one. */
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

export interface Composition {
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
