import { parseAllDocuments, stringify } from 'yaml';
import { ROTATION_STEPS } from '@offizin/local-stack/secrets';
import {
  kubernetesSecretManifests,
  kubernetesSecrets,
  newSecrets,
  secretsIn,
} from '../deploy/installation-secrets';
import { type Rotatable, rotations } from '../deploy/secret-rotation';
import { rotatedManifests } from './secrets';

const secrets = newSecrets();
const printed = kubernetesSecretManifests(secrets, 'shop');

interface Manifest {
  kind: string;
  metadata: { name: string; namespace: string };
  stringData: Record<string, string>;
}

const manifestsIn = (text: string) => parseAllDocuments(text).map((one) => one.toJS() as Manifest);

/** As `kubectl get secret -o yaml` prints them, those of others included. */
function fromCluster(text: string): string {
  const items = manifestsIn(text).map(({ stringData, ...rest }) => ({
    ...rest,
    data: Object.fromEntries(
      Object.entries(stringData).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
    ),
  }));
  const other = { kind: 'Secret', metadata: { name: 'sh.helm.release.v1' }, data: { release: 'eA==' } };
  return stringify({ apiVersion: 'v1', kind: 'List', items: [other, ...items] });
}

it.each([
  ['manifests', printed],
  ['a list of the cluster', fromCluster(printed)],
])('reads all secrets of %s', (_what, text) => {
  const { secrets: read, namespace, found } = secretsIn(text);
  const held = new Set(Object.values(kubernetesSecrets).flatMap((files) => Object.values(files)));
  expect(read).toEqual(Object.fromEntries(Object.entries(secrets).filter(([name]) => held.has(name))));
  expect([namespace, found]).toEqual(['shop', Object.keys(kubernetesSecrets)]);
});

it.each(Object.keys(rotations) as Rotatable[])(
  '%s: prints the Secrets that change, step by step',
  (secret) => {
    let present = printed;
    for (const step of ROTATION_STEPS) {
      const { manifests, then } = rotatedManifests(fromCluster(present), { secret, step });
      const changed = manifestsIn(manifests);
      const before = manifestsIn(present);
      for (const one of before) {
        const next = changed.find(({ metadata }) => metadata.name === one.metadata.name);
        expect([one.metadata.name, next?.metadata.namespace ?? 'shop']).toEqual([one.metadata.name, 'shop']);
        if (next) expect(Object.keys(next.stringData)).toEqual(Object.keys(one.stringData));
      }
      expect(changed.length).toBeGreaterThan(0);
      expect(then).toMatch(/^Apply them\. [A-Z]/);
      present = before
        .map((one) => changed.find(({ metadata }) => metadata.name === one.metadata.name) ?? one)
        .map((one) => stringify(one))
        .join('---\n');
    }
    const [first, last] = [secretsIn(printed).secrets, secretsIn(present).secrets];
    const names = Object.keys(last).filter((name) => last[name] !== first[name]);
    expect(names.sort()).toEqual(Object.keys(rotations[secret].changed(secrets, 'add')).sort());
  },
);

it.each([
  ['nothing', '', /^The standard input holds no Secret of Offizin: /],
  ['another Secret', stringify({ kind: 'Secret', metadata: { name: 'x' } }), /holds no Secret of Offizin/],
  [
    'two values of one',
    printed.replace(`MASTER_KEY: ${secrets['MASTER_KEY']}`, 'MASTER_KEY: another'),
    /^Two Secrets have another MASTER_KEY: /,
  ],
  [
    'a part of them',
    kubernetesSecretManifests(secrets, 'shop', ['gateway']),
    /^The secret NATS_CONNECTOR_EDGE_PASSWORD is missing\.$/,
  ],
])('says what is wrong with %s', (_what, text, sentence) => {
  expect(() => rotatedManifests(text, { secret: 'NATS', step: 'add' })).toThrow(sentence);
});
