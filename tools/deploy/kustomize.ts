import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from './manifests';

/** First kubectl whose built-in kustomize (5) knows all that deploy/kubernetes uses. */
const oldestMinor = 27;

/**
 * Why `kubectl kustomize` cannot be used on this machine, or undefined when it can. On Debian, as root, its package is
 * installed when there is none, if it is new enough: bookworm's is not (kubectl 1.20 has kustomize 2, without components).
 */
export function kustomizeProblem(): string | undefined {
  const present = kubectlMinor();
  if (present === undefined) installPackage();
  const minor = present ?? kubectlMinor();
  if (minor === undefined)
    return `there is no kubectl, and Debian's package is ${packageMinor() ?? 'unknown'}`;
  return minor < oldestMinor ? `kubectl 1.${minor} is older than 1.${oldestMinor}` : undefined;
}

/** The manifests that a folder with a kustomization renders to. Reads files only, never the network. */
export function render(folder: string): Manifest[] {
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

function kubectlMinor(): number | undefined {
  const { stdout } = spawnSync('kubectl', ['version', '--client', '--output=json'], { encoding: 'utf8' });
  return minorIn(stdout ?? '');
}

/** `"gitVersion": "v1.32.4"` → 32 */
function minorIn(text: string): number | undefined {
  const minor = /"gitVersion": "v1\.(\d+)/.exec(text)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

/** Minor version of Debian's candidate; its kubectl is in the package kubernetes-client. */
export function candidateMinor(policy: string): number | undefined {
  const minor = /Candidate: (?:\d+:)?1\.(\d+)/.exec(policy)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

function packageMinor(): number | undefined {
  return candidateMinor(
    spawnSync('apt-cache', ['policy', 'kubernetes-client'], { encoding: 'utf8' }).stdout ?? '',
  );
}

function installPackage(): void {
  if (!existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0) return;
  if (packageMinor() === undefined) aptGet(['update']);
  if ((packageMinor() ?? 0) < oldestMinor) return;
  aptGet(['install', '-y', '--no-install-recommends', 'kubernetes-client']);
}

function aptGet(args: string[]): void {
  const options = ['-q', '-o', 'DPkg::Lock::Timeout=120', '-o', 'APT::Get::Lock::Timeout=120'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
  spawnSync('apt-get', [...options, ...args], { env, timeout: 180_000 });
}
