import type { Manifest } from './manifests';

/**
 * What a set of NetworkPolicies lets through, worked out as Kubernetes does: a connection is open when a policy of the
 * sender lets it out and a policy of the receiver lets it in; a pod that no policy selects is open.
 */
export interface Pod {
  name: string;
  labels: Record<string, string>;
  /** Undefined: a pod of this namespace; else the name of another. */
  namespace?: string;
}

interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

interface Peer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: { cidr: string; except?: string[] };
}

interface PolicySpec {
  podSelector: LabelSelector;
  policyTypes: string[];
  ingress?: { from?: Peer[]; ports?: { port: number }[] }[];
  egress?: { to?: Peer[]; ports?: { port: number }[] }[];
}

/** `gateway → nats:4222`, for every pair of pods and every port that is asked about. */
export function openArrows(
  manifests: readonly Manifest[],
  pods: readonly Pod[],
  ports: readonly number[],
): string[] {
  const policies = policiesIn(manifests);
  return pods.flatMap((from) =>
    pods.flatMap((to) =>
      ports
        .filter((port) => letsOut(policies, from, to, port) && letsIn(policies, from, to, port))
        .map((port) => `${from.name} → ${to.name}:${port}`),
    ),
  );
}

/** Address blocks that a pod may reach, with their exceptions and ports. */
export function openBlocks(manifests: readonly Manifest[], pod: Pod) {
  return policiesIn(manifests)
    .filter((policy) => selects(policy.podSelector, pod.labels))
    .flatMap(({ egress = [] }) =>
      egress.flatMap(({ to = [], ports = [] }) =>
        to.flatMap(({ ipBlock }) =>
          ipBlock ? [{ ...ipBlock, except: ipBlock.except ?? [], ports: ports.map(({ port }) => port) }] : [],
        ),
      ),
    );
}

function policiesIn(manifests: readonly Manifest[]): PolicySpec[] {
  return manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => spec as PolicySpec & Record<string, unknown>);
}

function letsOut(policies: PolicySpec[], from: Pod, to: Pod, port: number): boolean {
  if (from.namespace !== undefined) return true;
  const own = policies.filter(
    ({ podSelector, policyTypes }) => policyTypes.includes('Egress') && selects(podSelector, from.labels),
  );
  if (own.length === 0) return true;
  const rules = own.flatMap(({ egress = [] }) => egress);
  return rules.some(({ to: peers, ports }) => isPort(ports, port) && isPeer(peers, to));
}

function letsIn(policies: PolicySpec[], from: Pod, to: Pod, port: number): boolean {
  if (to.namespace !== undefined) return true;
  const own = policies.filter(
    ({ podSelector, policyTypes }) => policyTypes.includes('Ingress') && selects(podSelector, to.labels),
  );
  if (own.length === 0) return true;
  const rules = own.flatMap(({ ingress = [] }) => ingress);
  return rules.some(({ from: peers, ports }) => isPort(ports, port) && isPeer(peers, from));
}

function isPort(ports: { port: number }[] | undefined, port: number): boolean {
  return ports === undefined || ports.some((one) => one.port === port);
}

function isPeer(peers: Peer[] | undefined, pod: Pod): boolean {
  if (peers === undefined) return true;
  return peers.some(({ podSelector, namespaceSelector, ipBlock }) => {
    if (ipBlock) return false;
    const inNamespace = namespaceSelector
      ? pod.namespace !== undefined &&
        selects(namespaceSelector, { 'kubernetes.io/metadata.name': pod.namespace })
      : pod.namespace === undefined;
    return inNamespace && selects(podSelector ?? {}, pod.labels);
  });
}

function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Record<string, string>) {
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`The operator ${operator} is not worked out here.`);
      return values.includes(labels[key] ?? '');
    })
  );
}
