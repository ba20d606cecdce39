import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { compiledFile, describeWithout } from '@offizin/testkit/programs';
import { parseCompose, withDefaults } from './compose-file';
import { imageReference, isFloating } from './image-pins';
import {
  kubernetesSecretManifests,
  kubernetesSecrets,
  movedDatabaseUrls,
  newSecrets,
} from './installation-secrets';
import { schemaProblems } from './manifest-schemas';
import { installations, type Manifest, manifestsOf, parseManifests, renderProblem } from './manifests';

const read = (path: string): string => readFileSync(join(checkoutRoot, path), 'utf8');
const DIGEST = `sha256:${'0a'.repeat(32)}`;

/** Images of containers, and those that operators start for a custom resource. */
function imagesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(imagesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'string' && ['image', 'imageName'].includes(name) ? [inner] : imagesIn(inner),
  );
}

const floating = (images: readonly string[]): string[] =>
  images.filter((image) => isFloating(imageReference(image)));

it.each([
  ['nats', { name: 'nats', place: 'nats' }, true],
  ['nats:latest', { name: 'nats', place: 'nats', tag: 'latest' }, true],
  ['localhost:5000/nats', { name: 'nats', place: 'localhost:5000/nats' }, true],
  [
    'localhost:5000/library/nats:2.12',
    { name: 'nats', place: 'localhost:5000/library/nats', tag: '2.12' },
    false,
  ],
  [`nats@${DIGEST}`, { name: 'nats', place: 'nats', digest: DIGEST }, false],
  [`a.b/nats:latest@${DIGEST}`, { name: 'nats', place: 'a.b/nats', tag: 'latest', digest: DIGEST }, false],
])('takes %s apart', (text, parts, isFloat) => {
  expect(imageReference(text)).toEqual(parts);
  expect(isFloating(imageReference(text))).toBe(isFloat);
});

it.each(['', ':1', 'nats@sha256:12', 'nats @x', `nats@${DIGEST}0`])('refuses %j as an image', (text) => {
  expect(() => imageReference(text)).toThrow(/is not an image/);
});

describe('no image is taken by a floating tag', () => {
  it('in docker-compose.yml and the Dockerfile, and ours have the version of this checkout', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const { services } = parseCompose(read('docker-compose.yml'));
    const images = Object.values(services).map(({ image }) => withDefaults(image));
    const node = /^ARG NODE_IMAGE=(.*)$/m.exec(read('deploy/Dockerfile'))?.[1] ?? '';
    expect(floating([...images, node])).toEqual([]);
    const own = images.map(imageReference).filter(({ name }) => name === 'offizin');
    expect(new Set(own.map(({ tag }) => tag))).toEqual(new Set([version]));
  });

  it.each(['cloudnative-pg/postgres', 'restore-drill/drill'])('in deploy/examples/%s.yaml', (name) => {
    const images = imagesIn(parseManifests(read(`deploy/examples/${name}.yaml`)));
    expect(images.length).toBeGreaterThan(0);
    expect(floating(images)).toEqual([]);
  });

  describeWithout(renderProblem, 'as rendered', () => {
    it.each(installations)('in %s', (installation) => {
      const manifests = manifestsOf(installation);
      const images = imagesIn(manifests);
      expect(images.length).toBeGreaterThan(0);
      expect(floating(images)).toEqual([]);
      expect(floating(imagesIn([...manifests, { spec: { image: 'nats' } }]))).toEqual(['nats']);
    });
  });
});

const secrets = newSecrets();

// A step over secrets of this checkout would change them.
const secretsProblem = existsSync(join(checkoutRoot, 'deploy', 'secrets'))
  ? 'deploy/secrets exists'
  : undefined;
describeWithout(secretsProblem, 'without secrets', () => {
  it.each([
    [
      ['CALL_KEYS', 'switch'],
      /^\S+secrets is missing: .* Those in a cluster: "operator secrets rotate"\.\n$/,
    ],
    [
      ['CALL_KEYS', 'change'],
      /'change' is invalid for argument 'step'\. Allowed choices are add, switch, drop/,
    ],
    [['PASSWORDS', 'add'], /'PASSWORDS' is invalid for argument 'secret'\. Allowed choices are MASTER_KEY, /],
    [['CALL_KEYS'], /missing required argument 'step'/],
  ])('deploy rotate %j answers with a sentence', (args, sentence) => {
    const command = [compiledFile('tools/deploy/main.ts'), 'rotate', ...args];
    const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    expect(stderr).toMatch(sentence);
    expect(status).toBe(1);
  });
});

it('gives the databases another address, with its options, and leaves roles and passwords', () => {
  const moved = movedDatabaseUrls(secrets, 'db.example.org:6432/offizin?sslmode=verify-full');
  expect(Object.keys(moved).sort()).toEqual([
    'CATALOG_DATABASE_URL',
    'ORDER_CORE_DATABASE_URL',
    'WEBHOOK_WORKER_DATABASE_URL',
  ]);
  for (const [name, url] of Object.entries(moved)) {
    const [before, after] = [new URL(secrets[name] ?? ''), new URL(url)];
    expect([after.username, after.password]).toEqual([before.username, before.password]);
    expect([after.host, after.search]).toEqual(['db.example.org:6432', '?sslmode=verify-full']);
  }
  expect(movedDatabaseUrls({ ...secrets, ...moved }, 'postgres:5432/offizin')).toEqual(
    Object.fromEntries(Object.keys(moved).map((name) => [name, secrets[name]])),
  );
});

describe('the Secrets of Kubernetes', () => {
  it('are one for each app and server and for the operator, valid, and hold what the files of Compose hold', () => {
    const manifests = parseManifests(kubernetesSecretManifests(secrets, 'offizin'));
    expect(manifests.map(({ metadata }) => metadata.name)).toEqual(Object.keys(kubernetesSecrets));
    expect(schemaProblems(manifests)).toEqual([]);
    const values = manifests.flatMap((one) =>
      Object.values((one as Manifest & { stringData: Record<string, string> }).stringData),
    );
    expect(
      Object.entries(secrets)
        .filter(([, value]) => !values.includes(value))
        .map(([name]) => name),
    ).toEqual([]);
  }, 120_000);

  it('are printed by the image, for a namespace and a database, new ones each time', () => {
    const print = (...further: string[]) => {
      const args = [compiledFile('tools/deploy/start.ts'), 'operator', 'secrets', ...further];
      return spawnSync(process.execPath, args, { encoding: 'utf8' });
    };
    const place = 'db.example.org:5432/offizin?sslmode=verify-full';
    const printed = [1, 2].map(() => print('--kubernetes', '--namespace', 'pharmacies', '--database', place));
    const [first = [], second = []] = printed.map(({ stdout }) => parseManifests(stdout));
    expect(first.map(({ metadata }) => metadata)).toEqual(
      Object.keys(kubernetesSecrets).map((name) => ({ name, namespace: 'pharmacies' })),
    );
    expect(JSON.stringify(first)).toContain(`@${place}`);
    expect(second).not.toEqual(first);
    expect(print().stderr).toContain('Name the form of the secrets: --kubernetes.');
  });

  it('cannot be written without one of them', () => {
    expect(() => kubernetesSecretManifests({ ...secrets, MASTER_KEY: '' }, 'offizin')).toThrow(
      'The secret MASTER_KEY is missing.',
    );
  });
});
