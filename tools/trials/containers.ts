import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { appNames } from '@offizin/local-stack/apps';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { eventually } from '@offizin/testkit/eventually';
import { makeBaseImages } from './base-images';
import { Engine } from './engine';
import { lastLine } from './own-demo';
import { fetchedOnce, type Trial, unpackDebian } from './programs';

const FOLDER = join(checkoutRoot, '.data-containers');
const COPY = join(FOLDER, 'checkout');
const PROGRAMS = join(FOLDER, 'programs');
/** A receiver without TLS beside the worker, and free ports. */
const OVERRIDE = join(checkoutRoot, 'tools', 'trials', 'compose.override.yml');
const HEALTHY_LIMIT_MS = 180_000;
/** Of `stop_grace_period` in docker-compose.yml. */
const STOP_LIMIT_SECONDS = 30;

/** What `docker compose config` says of a service, as far as it is read here. */
interface BuiltService {
  image: string;
  build?: { dockerfile: string; target: string; args?: Record<string, string> };
}

interface Inspected {
  State: { Pid: number; ExitCode: number; Health?: { Status: string } };
  Config: { Env: string[]; User: string };
}

/**
 * Builds the images of deploy/Dockerfile, runs docker-compose.yml on them and walks the main job there; as root, 10 to 20
 * minutes. Containers, networks and volumes are removed afterwards; images stay and make the next run faster.
 */
export class ContainerTrial {
  private readonly engine = new Engine(FOLDER);
  private hasStarted = false;
  private ending: Promise<void> | undefined;

  /** One after the other; each needs those before it. */
  async *steps(): AsyncGenerator<Trial> {
    yield { name: 'podman', run: () => this.engine.start().then(() => 'its socket is open') };
    yield { name: 'copy of the checkout', run: async () => copyCheckout() };
    yield { name: 'base images', run: () => makeBaseImages(this.engine, PROGRAMS) };
    yield { name: 'secrets', run: () => this.writeSecrets() };
    for (const [name, service] of await this.builtServices())
      yield { name: `image ${service.image}`, run: () => this.build(name, service) };
    yield { name: 'up, until all are healthy', run: () => this.up() };
    yield { name: 'published ports', run: () => this.reachPublishedPorts() };
    yield { name: 'demo data and smoke walk', run: () => this.walk() };
    yield { name: 'doctor', run: () => this.doctor() };
    yield { name: 'no secret in a description, no user root', run: () => this.inspectAll() };
    yield { name: 'restart of each app', run: () => this.restartApps() };
    yield { name: 'stop and start', run: () => this.stopAndStart() };
    yield { name: 'upgrade: all containers anew', run: () => this.up('--force-recreate') };
    yield { name: 'backup, loss of all volumes, restore', run: () => this.loseAndRestore() };
    yield { name: 'smoke walk on the kept data', run: () => this.walk() };
  }

  /** Ends what runs; removes containers, networks and volumes. Once: an interrupt would end the removal, too. */
  end(hasFailed = false): Promise<void> {
    return (this.ending ??= this.endAll(hasFailed));
  }

  private async endAll(hasFailed: boolean): Promise<void> {
    if (hasFailed) await this.keepLogs();
    this.engine.interrupt();
    if (this.hasStarted)
      await this.compose('--profile', '*', 'down', '--volumes', '--timeout', '5').catch((error: unknown) => {
        console.error(`containers: ${String(error)}`);
      });
    await this.engine.stop();
  }

  private async compose(...parameters: string[]): Promise<string> {
    const plugin = fetchedOnce(join(PROGRAMS, 'compose'), (folder) =>
      // Compose 2.26; deploy needs 2.20.
      unpackDebian('docker-compose', 'trixie', folder),
    );
    const program = join(plugin, 'usr', 'libexec', 'docker', 'cli-plugins', 'docker-compose');
    const files = ['-f', join(COPY, 'docker-compose.yml'), '-f', OVERRIDE];
    const project = ['--project-directory', COPY, ...files, '--ansi', 'never', '--progress', 'plain'];
    return this.engine.command(program, [...project, ...parameters], COPY);
  }

  /** As the documentation says. */
  private async writeSecrets(): Promise<string> {
    await this.engine.command(process.execPath, [join('dist', 'tools', 'deploy', 'main.js')], COPY);
    return 'deploy/secrets';
  }

  /** One of each image: the migrations use the image of their app. */
  private async builtServices(): Promise<[string, BuiltService][]> {
    const text = await this.compose('--profile', '*', 'config', '--format', 'json');
    const { services } = JSON.parse(text) as { services: Record<string, BuiltService> };
    const built = Object.entries(services).filter(([, { build }]) => build !== undefined);
    return [...new Map(built.reverse().map((entry) => [entry[1].image, entry])).values()].reverse();
  }

  private async build(name: string, { image, build }: BuiltService): Promise<string> {
    if (!build) throw new Error(`${name} has nothing to build`);
    const values = Object.entries(build.args ?? {}).flatMap(([key, value]) => [
      '--build-arg',
      `${key}=${value}`,
    ]);
    await this.engine.podman(
      ...['build', '--network', 'host', '--layers', '--tag', `docker.io/library/${image}`],
      ...[
        ...registryMounts(),
        ...values,
        '--target',
        build.target,
        '--file',
        join(COPY, build.dockerfile),
        COPY,
      ],
    );
    const bytes = await this.engine.podman('image', 'inspect', '--format', '{{.Size}}', image);
    return `${Math.round(Number(bytes) / 1e6)} MB`;
  }

  private async up(...options: string[]): Promise<string> {
    this.hasStarted = true;
    await this.compose('up', '--detach', '--no-build', ...options);
    return this.healthy();
  }

  private async healthy(): Promise<string> {
    const names = [...appNames, 'postgres', 'nats'];
    const areHealthy = async (): Promise<true | null> => {
      const states = await Promise.all(names.map(async (name) => (await this.inspect(name)).State));
      return states.every(({ Health }) => Health?.Status === 'healthy') || null;
    };
    await eventually('all services to be healthy', areHealthy, HEALTHY_LIMIT_MS);
    return `${names.length} healthy`;
  }

  private async reachPublishedPorts(): Promise<string> {
    for (const [service, port, path, method, status] of [
      ['gateway', '3000', '/', 'GET', 200],
      ['connector-edge', '3001', '/api/v1/external-order', 'POST', 404],
    ] as const) {
      const address = (await this.compose('port', service, port)).trim();
      const answer = await fetch(`http://${address}${path}`, { method });
      if (answer.status !== status)
        throw new Error(`${service} answers ${answer.status} at ${address}${path}`);
    }
    return 'gateway and connector-edge answer on 127.0.0.1';
  }

  /** In the network of the worker's container, where the receiver of the walk can be reached; kills by host pids. */
  private async walk(): Promise<string> {
    const folder = join(FOLDER, 'walk');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'order-core.pid'), String((await this.inspect('order-core')).State.Pid));
    const worker = await this.containerOf('webhook-worker');
    // At the same paths as here, because the copy has a link to the packages.
    const packages = realpathSync(join(COPY, 'node_modules'));
    const mounts = [`${COPY}:${COPY}:ro`, `${packages}:${packages}:ro`, `${folder}:/walk`];
    const output = await this.engine.podman(
      ...['run', '--rm', '--pid', 'host', '--network', `container:${worker}`, '--workdir', COPY],
      ...mounts.flatMap((mount) => ['--volume', mount]),
      'docker.io/library/node:24-bookworm-slim',
      ...['node', 'dist/tools/trials/container-walk.js', '/walk'],
    );
    return this.logged('walk.log', output);
  }

  private async doctor(): Promise<string> {
    this.logged('doctor.log', await this.ran('operator', /"problems": 0\b/, 'doctor'));
    return '0 problems';
  }

  /** A command that ends. Compose loses the exit code of a run in podman, so the output must say that it worked. */
  private async ran(service: string, worked: RegExp, ...words: string[]): Promise<string> {
    const output = await this.compose('run', '--rm', service, '--json', ...words);
    if (!worked.test(output)) throw new Error(`${service} ${words.join(' ')} failed: ${output}`);
    return output;
  }

  /** Writes the log and answers with its last line. */
  private logged(name: string, output: string): string {
    const log = join(this.engine.logFolder, name);
    writeFileSync(log, output);
    return lastLine(log);
  }

  private async inspectAll(): Promise<string> {
    const folder = join(COPY, 'deploy', 'secrets');
    const secrets = readdirSync(folder).map((name) => [
      name,
      readFileSync(join(folder, name), 'utf8').trim(),
    ]);
    for (const app of appNames) {
      const { Config } = await this.inspect(app);
      const leaked = secrets.filter(([, value = '']) =>
        Config.Env.some((variable) => variable.includes(value)),
      );
      if (leaked.length > 0) throw new Error(`${app} shows ${leaked.map(([name]) => name).join(', ')}`);
      if (!Config.User.startsWith('1000')) throw new Error(`${app} runs as ${Config.User || 'root'}`);
    }
    return `${appNames.length} apps, ${secrets.length} secrets`;
  }

  private async restartApps(): Promise<string> {
    const times: string[] = [];
    for (const app of appNames) {
      const startedAt = performance.now();
      await this.compose('restart', '--timeout', String(STOP_LIMIT_SECONDS), app);
      await this.healthy();
      times.push(`${app} ${secondsSince(startedAt)} s`);
    }
    return times.join(', ');
  }

  private async stopAndStart(): Promise<string> {
    const startedAt = performance.now();
    await this.compose('stop', ...appNames);
    const seconds = secondsSince(startedAt);
    for (const app of appNames) {
      const { State } = await this.inspect(app);
      if (State.ExitCode !== 0) throw new Error(`${app} ended with ${State.ExitCode}, not by itself`);
    }
    await this.compose('start', ...appNames);
    await this.healthy();
    return `all apps ended by themselves in ${seconds} s`;
  }

  /** As docs/operate/operations.md says. */
  private async loseAndRestore(): Promise<string> {
    const folder = join(COPY, 'backups');
    mkdirSync(folder);
    const onFiles = (...words: string[]): Promise<string> => this.ran('operator-root', /\S/, ...words);
    await onFiles('backup', '/backups/first');
    await this.compose('down', '--volumes');
    const ledger = ['--erasures', '/backups/first/erasures.jsonl'];
    await onFiles('restore', '/backups/first', ...ledger);
    this.engine.environment['ERASURE_LEDGER'] = join(folder, 'first', 'erasures.jsonl');
    return this.up();
  }

  /** Id of the one container of a service. */
  private async containerOf(service: string): Promise<string> {
    const id = (await this.compose('ps', '--all', '--quiet', service)).trim();
    if (!/^[0-9a-f]+$/.test(id)) throw new Error(`${service} has no container, or several: "${id}"`);
    return id;
  }

  private async inspect(service: string): Promise<Inspected> {
    const text = await this.engine.podman('inspect', await this.containerOf(service));
    const [container] = JSON.parse(text) as Inspected[];
    if (!container) throw new Error(`podman knows no container of ${service}`);
    return container;
  }

  private async keepLogs(): Promise<void> {
    if (!this.hasStarted) return;
    const text = await this.compose('logs', '--no-color', '--timestamps').catch(String);
    const states = await this.compose('ps', '--all').catch(String);
    writeFileSync(join(this.engine.logFolder, 'compose.log'), `${states}\n${text}`);
    console.error(`containers: the logs are in ${this.engine.logFolder}`);
  }
}

/**
 * Copies tracked and new files, without those that .gitignore names, and the compiled tools. So the commands of the
 * documentation run in the copy, and its secrets are not those of the checkout.
 */
function copyCheckout(): string {
  rmSync(COPY, { recursive: true, force: true });
  mkdirSync(COPY, { recursive: true });
  const present = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: checkoutRoot,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
    .split('\0')
    .filter((name) => name && existsSync(join(checkoutRoot, name)));
  const archive = join(FOLDER, 'checkout.tar');
  const names = ['--null', '--files-from', '-'];
  execFileSync('tar', ['-cf', archive, ...names], {
    cwd: checkoutRoot,
    input: [...present, 'dist'].join('\0'),
  });
  execFileSync('tar', ['-xf', archive, '-C', COPY]);
  rmSync(archive);
  symlinkSync(join(checkoutRoot, 'node_modules'), join(COPY, 'node_modules'));
  return `${present.length} files`;
}

/** Settings of this machine's npm for its registry, for the npm of the build; the image does not contain them. */
function registryMounts(): string[] {
  const globalSettings = execFileSync('npm', ['config', 'get', 'globalconfig'], { encoding: 'utf8' }).trim();
  const mounts = [
    [globalSettings, '/usr/local/etc/npmrc'],
    ['/etc/ssl/certs/ca-certificates.crt', '/etc/ssl/certs/ca-certificates.crt'],
  ];
  return mounts
    .filter(([source = '']) => existsSync(source))
    .flatMap(([source, target]) => ['--volume', `${source}:${target}:ro`]);
}

function secondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}
