import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAllowedAddress } from '@offizin/egress/address-policy';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import type { Manifest } from './manifests';
import { openArrows, openBlocks, type Pod } from './network-arrows';
import {
  canRender,
  composed,
  manifestsOf,
  named,
  notHere,
  withDocumentStore,
  withTraces,
} from './rendered-manifests';

const read = (path: string): string => readFileSync(join(checkoutRoot, path), 'utf8');

if (!canRender) it(notHere, () => expect(canRender).toBe(false));

if (canRender)
  describe('the network policies', () => {
    /** All arrows of docs/ARCHITECTURE.md between pods, and those of whoever stands around. */
    const apps = ['gateway', 'connector-edge', 'order-core', 'catalog', 'webhook-worker'];
    const arrows = [
      'entry → gateway:3000',
      'entry → connector-edge:3001',
      'gateway → order-core:3010',
      'connector-edge → order-core:3010',
      ...apps.map((app) => `${app} → nats:4222`),
      ...[...apps, 'migrate', 'nats', 'postgres'].map((pod) => `${pod} → dns:53`),
    ];
    const toPostgres = ['order-core', 'catalog', 'webhook-worker', 'migrate'].map(
      (pod) => `${pod} → postgres:5432`,
    );
    const scraped = apps.map((app) => `prometheus → ${app}:9100`);
    const ports = [53, 443, 3000, 3001, 3010, 4222, 4318, 5432, 6222, 8222, 9100];

    const label = (name: string, component: string): Record<string, string> => ({
      'app.kubernetes.io/name': name,
      'app.kubernetes.io/component': component,
    });
    const pods: Pod[] = [
      ...['gateway', 'connector-edge'].map((name) => ({ name, labels: label(name, 'edge') })),
      ...['order-core', 'catalog', 'webhook-worker'].map((name) => ({
        name,
        labels: label(name, 'service'),
      })),
      { name: 'migrate', labels: label('order-core', 'migration') },
      { name: 'nats', labels: { 'app.kubernetes.io/name': 'nats' } },
      { name: 'postgres', labels: { 'app.kubernetes.io/name': 'postgres' } },
      { name: 'stranger', labels: {} },
      {
        name: 'entry',
        labels: { 'gateway.envoyproxy.io/owning-gateway-name': 'entry' },
        namespace: 'envoy-gateway-system',
      },
      {
        name: 'other-entry',
        labels: { 'gateway.envoyproxy.io/owning-gateway-name': 'other' },
        namespace: 'envoy-gateway-system',
      },
      {
        name: 'prometheus',
        labels: { 'app.kubernetes.io/name': 'prometheus' },
        namespace: 'monitoring',
      },
      { name: 'grafana', labels: { 'app.kubernetes.io/name': 'grafana' }, namespace: 'monitoring' },
      {
        name: 'collector',
        labels: { 'app.kubernetes.io/name': 'opentelemetry-collector' },
        namespace: 'observability',
      },
      { name: 'keda', labels: {}, namespace: 'keda' },
      { name: 'dns', labels: { 'k8s-app': 'kube-dns' }, namespace: 'kube-system' },
    ];
    const outside = pods.flatMap(({ name, namespace }) => (namespace ? [name] : [])).join('|');
    const within = (arrow: string): boolean =>
      !new RegExp(`^(?:${outside}) → (?:${outside}):|^stranger → dns:53`).test(arrow);
    const opened = (manifests: Manifest[]): string[] =>
      openArrows(manifests, pods, ports).filter(within).sort();

    it.each([
      ['overlays/one-node', [...arrows, ...toPostgres]],
      ['overlays/production', [...arrows, ...scraped, 'nats → nats:6222']],
      ['overlays/production-keda', [...arrows, ...scraped, 'nats → nats:6222', 'keda → nats:8222']],
    ])('of %s open these arrows and no other', (folder, expected) => {
      expect(opened(manifestsOf(folder))).toEqual([...expected].sort());
    });

    it('of production with traces lead to the collector, too', () => {
      const traced = apps.map((app) => `${app} → collector:4318`);
      const production = opened(manifestsOf('overlays/production'));
      expect(opened(composed(withTraces))).toEqual([...production, ...traced].sort());
    });

    it('of production with a document store let order-core alone reach its servers', () => {
      const manifests = composed(withDocumentStore);
      const reached = pods.flatMap((pod) =>
        openBlocks(manifests, pod)
          .filter(({ cidr }) => cidr === '10.30.0.0/24')
          .map(({ ports: opened }) => [pod.name, opened]),
      );
      expect(reached).toEqual([['order-core', [443]]]);
      expect(opened(manifests)).toEqual(opened(manifestsOf('overlays/production')));
    });

    it('would be found to open more without the denial, or one more rule', () => {
      const undenied = manifestsOf('overlays/one-node').filter(
        ({ metadata }) => metadata.name !== 'default-deny',
      );
      expect(opened(undenied)).toContain('prometheus → catalog:9100');
      const manifests = manifestsOf('overlays/production');
      Object.assign(named(manifests, 'NetworkPolicy', 'nats-from-apps').spec ?? {}, { ingress: [{}] });
      Object.assign(named(manifests, 'NetworkPolicy', 'edges-to-order-core').spec ?? {}, { egress: [{}] });
      expect(opened(manifests)).toContain('gateway → nats:8222');
    });

    it('let only order-core and the worker out, on 443, and not to the addresses that libs/egress refuses', () => {
      const manifests = manifestsOf('overlays/one-node');
      const out = pods.filter((pod) => pod.namespace === undefined && openBlocks(manifests, pod).length > 0);
      expect(out.map(({ name }) => name)).toEqual(['order-core', 'webhook-worker']);
      const [core] = out;
      const blocks = core ? openBlocks(manifests, core) : [];
      expect(blocks.map(({ cidr, ports: opened }) => [cidr, opened])).toEqual([
        ['0.0.0.0/0', [443]],
        ['2000::/3', [443]],
      ]);
      const refused = [...read('libs/egress/address-policy.ts').matchAll(/ipv[46]Block\('([^']+)'/g)].map(
        ([, block = '']) => block,
      );
      const excepted = blocks.flatMap(({ except }) => except);
      for (const block of excepted)
        expect([block, isAllowedAddress(firstAddress(block), { allowLoopback: false })]).toEqual([
          block,
          false,
        ]);
      const missing = refused.filter((block) => !excepted.includes(block) && !coveredElsewhere.has(block));
      expect(missing).toEqual([]);
    });

    /** Inside a wider exception, or outside 2000::/3, which alone is opened. */
    const coveredElsewhere = new Set([
      ...['0.0.0.0/32', '255.255.255.255/32', '2001::/32', '2001:2::/48'],
      ...['::/128', '::1/128', '64:ff9b:1::/48', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
    ]);
    const firstAddress = (block: string): string => block.split('/')[0] ?? '';

    it('of production let the services reach the managed database, and nobody else', () => {
      const manifests = manifestsOf('overlays/production');
      const reach = pods.filter((pod) =>
        openBlocks(manifests, pod).some(({ ports: opened }) => opened.includes(5432)),
      );
      expect(reach.map(({ name }) => name)).toEqual(['order-core', 'catalog', 'webhook-worker', 'migrate']);
    });
  });
