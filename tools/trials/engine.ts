import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { installDebianPackages, mayInstallPackages } from '@offizin/local-stack/program-path';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Compose waits for ever for a container that is started again and again. */
const COMMAND_LIMIT_MS = 15 * 60_000;
const SOCKET_LIMIT_MS = 20_000;
const HEALTH_INTERVAL_MS = 2_000;

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
};

/** podman with separate settings and storage, and its socket for Compose. */
export class Engine {
  readonly environment: NodeJS.ProcessEnv;
  readonly logFolder: string;
  private readonly socket: string;
  private service: ChildProcess | undefined;
  private isChecking = false;
  private running = new AbortController();

  constructor(private readonly folder: string) {
    const storage = join(folder, 'storage');
    this.logFolder = join(folder, 'logs');
    for (const needed of [storage, this.logFolder]) mkdirSync(needed, { recursive: true });
    // The path of a socket has at most 107 characters.
    this.socket = `/run/offizin-containers-${process.pid}.sock`;
    const storageText = `[storage]\ndriver = "overlay"\ngraphroot = "${storage}"\nrunroot = "${storage}-run"\n`;
    for (const [name, text] of Object.entries({ ...SETTINGS, 'storage.conf': storageText }))
      writeFileSync(join(folder, name), text);
    this.environment = {
      ...process.env,
      CONTAINERS_CONF: join(folder, 'containers.conf'),
      CONTAINERS_REGISTRIES_CONF: join(folder, 'registries.conf'),
      CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
      DOCKER_HOST: `unix://${this.socket}`,
    };
  }

  async start(): Promise<void> {
    await installPackages();
    const log = openSync(join(this.logFolder, 'service.log'), 'w');
    this.service = spawn('podman', ['system', 'service', '--time=0', `unix://${this.socket}`], {
      env: this.environment,
      stdio: ['ignore', log, log],
    });
    const endsAt = performance.now() + SOCKET_LIMIT_MS;
    while (!existsSync(this.socket)) {
      if (this.service.exitCode !== null || performance.now() > endsAt)
        throw new Error('the socket of podman did not open: see service.log');
      await setTimeout(100);
    }
    this.isChecking = true;
    void this.checkHealth();
  }

  /** Ends the commands that run now. */
  interrupt(): void {
    this.running.abort();
    this.running = new AbortController();
  }

  /** Also unmounts the storage, as podman does not: its folder could not be deleted. */
  async stop(): Promise<void> {
    this.isChecking = false;
    if (this.service?.exitCode === null && this.service.kill('SIGTERM')) await once(this.service, 'exit');
    rmSync(this.socket, { force: true });
    await run('umount', ['--recursive', join(this.folder, 'storage', 'overlay')]).catch(() => undefined);
  }

  /** Standard output of `podman <arguments>`. Throws with its error output. */
  async podman(...parameters: string[]): Promise<string> {
    return this.command('podman', parameters, this.folder);
  }

  /** Standard output. Throws with the end of the error output, and when the command takes longer than the limit. */
  async command(
    file: string,
    parameters: readonly string[],
    cwd: string,
    limitMs = COMMAND_LIMIT_MS,
  ): Promise<string> {
    // Not execFile's `timeout`: a podman that it kills ends with code 0.
    const limit = AbortSignal.timeout(limitMs);
    try {
      const signal = AbortSignal.any([this.running.signal, limit]);
      const options = { cwd, env: this.environment, maxBuffer: MAX_OUTPUT_BYTES, signal };
      return (await run(file, [...parameters], { ...options, encoding: 'utf8' })).stdout;
    } catch (error) {
      const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string };
      const why = limit.aborted ? [`took longer than ${limitMs / 1000} s`] : [];
      const said = (stderr.trim() || stdout.trim()).split('\n').slice(-15);
      throw new Error(`${file} ${parameters.join(' ')}:\n${[...why, ...said].join('\n')}`, { cause: error });
    }
  }

  /** podman leaves the times of health checks to systemd, which not every machine has. */
  private async checkHealth(): Promise<void> {
    while (this.isChecking) {
      const ids = await this.podman('ps', '--quiet', '--filter', 'status=running').catch(() => '');
      // Fails where a container has no check, is unhealthy or has just ended.
      for (const id of ids.split('\n').filter(Boolean))
        await this.podman('healthcheck', 'run', id).catch(() => undefined);
      await setTimeout(HEALTH_INTERVAL_MS);
    }
  }
}

/** Debian packages that run containers, and one that makes the base image. */
const PACKAGES = 'podman buildah runc netavark aardvark-dns iptables catatonit debootstrap'.split(' ');

/** Installs the missing packages, waiting for others that install. Throws where that is impossible, with what is needed instead. */
async function installPackages(): Promise<void> {
  const missing = PACKAGES.filter((name) => {
    const { error, stdout } = spawnSync('dpkg-query', ['--status', name], { encoding: 'utf8' });
    return error !== undefined || !/^Status: .* installed$/m.test(stdout);
  });
  if (missing.length === 0) return;
  if (!mayInstallPackages())
    throw new Error(
      `This needs the Debian packages ${missing.join(', ')}, and installs them only as root on Debian.`,
    );
  console.log(`installing ${missing.join(', ')}`);
  const problem = await installDebianPackages(...missing);
  if (problem !== undefined) throw new Error(problem);
}
