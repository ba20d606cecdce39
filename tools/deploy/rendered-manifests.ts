import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { kustomizeProblem, render } from './kustomize';
import { type Container, type Manifest, workloads } from './manifests';

/** What the specs of this folder have in common: deploy/kubernetes as kubectl renders it, where there is one. */
export const renderProblem = kustomizeProblem();
export const canRender = renderProblem === undefined;

/** Name of the one test that stands for those that this machine cannot run. */
export const notHere = `is not looked at on this machine: ${renderProblem}`;

export const overlays = ['overlays/one-node', 'overlays/production', 'overlays/production-keda'];
/** These hold some of the apps only. */
export const parts = ['overlays/production-migration', 'examples/shop-connector'];

const rendered = new Map<string, Manifest[]>();

/** Each folder is rendered once; a test that changes manifests takes a copy. */
export function manifestsOf(folder: string): Manifest[] {
  const known = rendered.get(folder) ?? render(join(checkoutRoot, 'deploy/kubernetes', folder));
  rendered.set(folder, known);
  return structuredClone(known);
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
