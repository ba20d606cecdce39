import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { compiledFile, describeWithout } from '@offizin/testkit/programs';
import { parseCompose, withDefaults } from './compose-file';
import { imageLists, imageReference, isFloating, unpinned, withImages } from './image-pins';
import {
  kubernetesSecretManifests,
  kubernetesSecrets,
  movedDatabaseUrls,
  newSecrets,
} from './installation-secrets';
import { schemaProblems } from './manifest-schemas';
import {
  composed,
  containerOf,
  type Manifest,
  manifestsOf,
  overlays,
  parseManifests,
  parts,
  renderProblem,
} from './manifests';

const read = (path: string): string => readFileSync(join(checkoutRoot, path), 'utf8');
const DIGEST = `sha256:${'0a'.repeat(32)}`;
const OTHER_DIGEST = `sha256:${'0b'.repeat(32)}`;

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

  describeWithout(renderProblem, 'as rendered', () => {
    it.each([...overlays, ...parts, 'examples/cloudnative-pg', 'examples/restore-drill'])(
      'in %s',
      (folder) => {
        const manifests = manifestsOf(folder);
        const images = imagesIn(manifests);
        expect(images.length).toBeGreaterThan(0);
        expect(floating(images)).toEqual([]);
        expect(floating(imagesIn([...manifests, { spec: { image: 'nats' } }]))).toEqual(['nats']);
      },
    );
  });
});

describe('deploy --image', () => {
  const { production } = imageLists;
  const list = read(production.file);
  const pins = [`registry.example.org/offizin@${DIGEST}`, `mirror.example.org/nats:2.12@${OTHER_DIGEST}`];
  const pinned = withImages(list, pins.map(imageReference), production);

  it('sets digests, adds what the list lacks, and leaves the rest of the file as it is', () => {
    const changed = pinned.split('\n').filter((line) => !list.split('\n').includes(line));
    expect(changed.map((line) => line.trim())).toEqual(
      [
        `- { name: offizin, newName: registry.example.org/offizin, digest: ${DIGEST} }`,
        `- { name: nats, newName: mirror.example.org/nats, digest: ${OTHER_DIGEST} }`,
      ].map((line) => expect.stringContaining(line) as string),
    );
    expect(pinned.split('\n')).toHaveLength(list.split('\n').length + 1);
    const renewed = withImages(pinned, [imageReference(`nats@${DIGEST}`)], production);
    expect(renewed).toBe(
      pinned.replace(`mirror.example.org/nats, digest: ${OTHER_DIGEST}`, `nats, digest: ${DIGEST}`),
    );
  });

  it('states which images are still taken by a tag', () => {
    expect(unpinned(list, production)).toEqual(production.images);
    expect(unpinned(pinned, production)).toEqual([]);
  });

  it('refuses an image without version, and one that the overlay does not run', () => {
    const pin = (text: string) => () => withImages(list, [imageReference(text)], production);
    expect(pin('nats:latest')).toThrow(/^nats names no version: pin it by its digest/);
    expect(pin('offizin')).toThrow(/names no version/);
    expect(pin(`postgres@${DIGEST}`)).toThrow(/runs no image postgres/);
    expect(pin('nats:2.12.3-alpine')).not.toThrow();
  });

  describeWithout(renderProblem, 'as rendered', () => {
    it('has Kustomize take the images by their digests', () => {
      const { images } = parse(pinned) as { images: object[] };
      const manifests = composed({
        resources: ['base', 'migration'],
        components: ['components/nats-single'],
        images,
      });
      expect(containerOf(manifests, 'Deployment', 'gateway').image).toBe(pins[0]);
      expect(containerOf(manifests, 'StatefulSet', 'nats').image).toBe(
        `mirror.example.org/nats@${OTHER_DIGEST}`,
      );
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
    [['CALL_KEYS', 'switch'], /^\S+secrets is missing\. Run "node tools\/bootstrap\.mjs deploy" first\.\n$/],
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

describe('the Secrets that `deploy --kubernetes` writes', () => {
  it('are one for each app and server, valid, and hold what the files of Compose hold', () => {
    const manifests = parseManifests(kubernetesSecretManifests(secrets, 'offizin'));
    expect(manifests.map(({ metadata }) => metadata.name)).toEqual(Object.keys(kubernetesSecrets));
    expect(schemaProblems(manifests)).toEqual([]);
    const values = manifests.flatMap((one) =>
      Object.values((one as Manifest & { stringData: Record<string, string> }).stringData),
    );
    const notForApps = new Set(['NATS_OPERATOR_PASSWORD', 'OPERATOR_CALL_KEYS']);
    const wanted = Object.entries(secrets).filter(([name]) => !notForApps.has(name));
    expect(wanted.filter(([, value]) => !values.includes(value)).map(([name]) => name)).toEqual([]);
  }, 120_000);

  it('cannot be written without one of them', () => {
    expect(() => kubernetesSecretManifests({ ...secrets, MASTER_KEY: '' }, 'offizin')).toThrow(
      'The secret MASTER_KEY is missing.',
    );
  });
});
