import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appNames } from '@offizin/local-stack/apps';
import { eventually } from '@offizin/testkit/eventually';
import type { BuiltService, Compose } from './compose';
import type { Engine } from './engine';

const HEALTHY_LIMIT_MS = 180_000;
/** Of `stop_grace_period` in docker-compose.yml. */
const STOP_LIMIT_MS = 30_000;

interface Inspected {
  State: { Pid: number; ExitCode: number; Status: string; Health?: { Status: string } };
  Config: { Env: string[]; User: string };
}

/** The steps, one after the other; each is printed with its time and what it found. Throws at the first that fails. */
export class Trial {
  private hasStarted = false;
  private ending: Promise<void> | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly compose: Compose,
    private readonly copy: string,
  ) {}

  async run(): Promise<void> {
    await this.step('secrets', () => this.writeSecrets());
    const services = await this.compose.services();
    for (const [name, service] of distinctImages(services))
      await this.step(`image ${service.image}`, () => this.build(name, service));
    await this.step('up, until all are healthy', () => this.up());
    await this.step('published ports', () => this.reachPublishedPorts());
    await this.step('demo data and smoke walk', () => this.walk());
    await this.step('doctor', () => this.doctor());
    await this.step('no secret in a description, no user root', () => this.inspectAll());
    await this.step('restart of each app', () => this.restartApps());
    await this.step('stop and start', () => this.stopAndStart());
    await this.step('upgrade: all containers anew', () => this.recreate());
    await this.step('smoke walk on the kept data', () => this.walk());
  }

  async step(name: string, work: () => Promise<string>): Promise<void> {
    const startedAt = performance.now();
    try {
      const found = await work();
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(6);
      console.log(`ok   ${seconds} s  ${name}: ${found}`);
    } catch (error) {
      await this.keepLogs();
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${name}: ${reason}\nLogs: ${this.engine.logFolder}`, { cause: error });
    }
  }

  /** Ends what runs; removes containers, networks and volumes. Once: an interrupt would end the removal, too. */
  end(): Promise<void> {
    return (this.ending ??= this.endAll());
  }

  private async endAll(): Promise<void> {
    this.engine.interrupt();
    if (this.hasStarted)
      await this.compose
        .run('--profile', '*', 'down', '--volumes', '--timeout', '5')
        .catch((error: unknown) => {
          console.error(`containers: ${String(error)}`);
        });
    await this.engine.stop();
  }

  /** As the documentation says. */
  private async writeSecrets(): Promise<string> {
    await this.engine.command(process.execPath, [join('dist', 'tools', 'deploy', 'main.js')], this.copy);
    return 'deploy/secrets';
  }

  private async build(name: string, { image, build }: BuiltService): Promise<string> {
    if (!build) throw new Error(`${name} has nothing to build`);
    const values = Object.entries(build.args ?? {}).flatMap(([key, value]) => [
      '--build-arg',
      `${key}=${value}`,
    ]);
    const target = ['--target', build.target, '--file', join(this.copy, build.dockerfile)];
    const options = [
      '--network',
      'host',
      '--layers',
      '--tag',
      `docker.io/library/${image}`,
      ...registryMounts(),
    ];
    await this.engine.podman('build', ...options, ...values, ...target, this.copy);
    const bytes = await this.engine.podman('image', 'inspect', '--format', '{{.Size}}', image);
    return `${Math.round(Number(bytes) / 1e6)} MB`;
  }

  private async up(): Promise<string> {
    this.hasStarted = true;
    await this.compose.run('up', '--detach', '--no-build');
    return this.healthy();
  }

  private async healthy(): Promise<string> {
    const names = [...appNames, 'postgres', 'nats'];
    await eventually(
      'all services to be healthy',
      async () => {
        const states = await Promise.all(names.map(async (name) => (await this.inspect(name)).State));
        return states.every(({ Health }) => Health?.Status === 'healthy') || null;
      },
      HEALTHY_LIMIT_MS,
    );
    return `${names.length} healthy`;
  }

  private async reachPublishedPorts(): Promise<string> {
    for (const [service, port, path, status] of [
      ['gateway', '3000', '/', 200],
      ['connector-edge', '3001', '/api/v1/external-order', 404],
    ] as const) {
      const address = (await this.compose.run('port', service, port)).trim();
      const answer = await fetch(`http://${address}${path}`, {
        method: service === 'gateway' ? 'GET' : 'POST',
      });
      if (answer.status !== status)
        throw new Error(`${service} answers ${answer.status} at ${address}${path}`);
    }
    return 'gateway and connector-edge answer on 127.0.0.1';
  }

  /** In the network of the worker's container, where the receiver of the walk can be reached; kills by host pids. */
  private async walk(): Promise<string> {
    const folder = join(this.copy, '..', 'walk');
    mkdirSync(folder, { recursive: true });
    const core = await this.inspect('order-core');
    writeFileSync(join(folder, 'order-core.pid'), String(core.State.Pid));
    const worker = await this.compose.containerOf('webhook-worker');
    // At the same paths as here, because the copy has a link to the packages.
    const packages = realpathSync(join(this.copy, 'node_modules'));
    const mounts = [`${this.copy}:${this.copy}:ro`, `${packages}:${packages}:ro`, `${folder}:/walk`];
    const output = await this.engine.podman(
      ...['run', '--rm', '--pid', 'host', '--network', `container:${worker}`, '--workdir', this.copy],
      ...mounts.flatMap((mount) => ['--volume', mount]),
      'docker.io/library/node:24-bookworm-slim',
      ...['node', 'dist/tools/containers/walk.js', '/walk'],
    );
    writeFileSync(join(this.engine.logFolder, 'walk.log'), output);
    return output.trimEnd().split('\n').at(-1) ?? '';
  }

  private async doctor(): Promise<string> {
    const output = await this.compose.run('run', '--rm', 'operator', 'doctor');
    writeFileSync(join(this.engine.logFolder, 'doctor.log'), output);
    return output.trimEnd().split('\n').at(-1) ?? '';
  }

  private async inspectAll(): Promise<string> {
    const secrets = secretValues(join(this.copy, 'deploy', 'secrets'));
    for (const app of appNames) {
      const { Config } = await this.inspect(app);
      const leaked = secrets.filter(([, value]) => Config.Env.some((variable) => variable.includes(value)));
      if (leaked.length > 0) throw new Error(`${app} shows ${leaked.map(([name]) => name).join(', ')}`);
      if (!Config.User.startsWith('1000')) throw new Error(`${app} runs as ${Config.User || 'root'}`);
    }
    return `${appNames.length} apps, ${secrets.length} secrets`;
  }

  private async restartApps(): Promise<string> {
    const times: string[] = [];
    for (const app of appNames) {
      const startedAt = performance.now();
      await this.compose.run('restart', '--timeout', String(STOP_LIMIT_MS / 1000), app);
      await this.healthy();
      times.push(`${app} ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    }
    return times.join(', ');
  }

  private async stopAndStart(): Promise<string> {
    const startedAt = performance.now();
    await this.compose.run('stop', ...appNames);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    for (const app of appNames) {
      const { State } = await this.inspect(app);
      if (State.ExitCode !== 0) throw new Error(`${app} ended with ${State.ExitCode}, not by itself`);
    }
    await this.compose.run('start', ...appNames);
    await this.healthy();
    return `all apps ended by themselves in ${seconds} s`;
  }

  private async recreate(): Promise<string> {
    await this.compose.run('up', '--detach', '--no-build', '--force-recreate');
    return this.healthy();
  }

  private async inspect(service: string): Promise<Inspected> {
    const text = await this.engine.podman('inspect', await this.compose.containerOf(service));
    const [container] = JSON.parse(text) as Inspected[];
    if (!container) throw new Error(`podman knows no container of ${service}`);
    return container;
  }

  private async keepLogs(): Promise<void> {
    if (!this.hasStarted) return;
    const text = await this.compose.run('logs', '--no-color', '--timestamps').catch(String);
    const states = await this.compose.run('ps', '--all').catch(String);
    writeFileSync(join(this.engine.logFolder, 'compose.log'), `${states}\n${text}`);
  }
}

/** The migrations use the image of their app. */
function distinctImages(services: Record<string, BuiltService>): [string, BuiltService][] {
  const built = Object.entries(services).filter(([, { build }]) => build !== undefined);
  return built.filter(
    ([, { image }], index) => built.findIndex(([, other]) => other.image === image) === index,
  );
}

/** What npm of this machine knows of its registry, for the npm of the build; nothing of it stays in the image. */
function registryMounts(): string[] {
  const setting = (name: string): string =>
    execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim();
  const mounts = [
    [setting('globalconfig'), '/usr/local/etc/npmrc'],
    ['/etc/ssl/certs/ca-certificates.crt', '/etc/ssl/certs/ca-certificates.crt'],
  ];
  return mounts
    .filter(([source = '']) => existsSync(source))
    .flatMap(([source, target]) => ['--volume', `${source}:${target}:ro`]);
}

function secretValues(folder: string): [string, string][] {
  return readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8').trim()]);
}
