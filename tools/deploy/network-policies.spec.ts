import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAllowedAddress } from '@offizin/egress/address-policy';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { parseManifests } from './kustomize';
import type { Manifest } from './manifests';

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
  ...['0.0.0.0/32', '255.255.255.255/32', '2001::/32', '2001:2::/48'],
  ...['::/128', '::1/128', '64:ff9b:1::/48', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
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
