import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type BrokerAddress, connectBus } from '@offizin/bus/connection';
import type { BusConnection } from '@offizin/bus/key-value';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { natsPasswordVariable, probeNats } from '@offizin/local-stack/nats';
import { findNatsProgram } from '@offizin/local-stack/nats-program';
import { freePorts } from '@offizin/local-stack/ports';
import { type NatsUser, natsUsers, newNatsPasswords } from '@offizin/local-stack/secrets';
import { processesIn } from '@offizin/local-stack/process-identity';
import { SupervisedProcess } from '@offizin/local-stack/supervised-process';
import { eventually } from './eventually';

const DEPLOYED = 'deploy/nats/server.conf';
const DEPLOYED_CLUSTER = 'deploy/nats/cluster.conf';

interface Member {
  name: string;
  clusterPort: number;
  clusterPorts: number[];
}

interface Options {
  /** Given to a cluster; by default new ones. */
  passwords?: Record<NatsUser, string>;
  /** Writes certificates into a folder; without it there is no TLS. */
  issue?: (folder: string) => Promise<void>;
  member?: Member;
  /** Called with the folder of its data before anything starts, such as to mount a small disk. */
  prepare?: (dataFolder: string) => void;
}

/**
 * nats-server as Compose and Kubernetes start it, by deploy/nats/with-secrets.sh: with the users, secrets and TLS of an
 * installation. Only ports and folders are others. It compares its secrets each second.
 */
export class DeployedBroker {
  private constructor(
    readonly port: number,
    private readonly httpPort: number,
    private readonly options: Options & { passwords: Record<NatsUser, string>; folder: string },
    private readonly process: SupervisedProcess,
  ) {}

  static async start(given: Options = {}): Promise<DeployedBroker> {
    const options = { ...given, passwords: given.passwords ?? newNatsPasswords() };
    const folder = mkdtempSync(join(tmpdir(), 'offizin-deployed-'));
    const [port = 0, httpPort = 0] = await freePorts(2);
    mkdirSync(join(folder, 'configuration'));
    mkdirSync(join(folder, 'secrets'));
    mkdirSync(join(folder, 'certificates'));
    options.prepare?.(join(folder, 'data'));
    await options.issue?.(join(folder, 'certificates'));
    const permissions = readFileSync(join(checkoutRoot, 'deploy/nats/permissions.conf'));
    writeFileSync(join(folder, 'configuration', 'permissions.conf'), permissions);
    const configuration = join(folder, 'configuration', 'server.conf');
    writeFileSync(configuration, adapted({ port, httpPort, storeDir: join(folder, 'data') }, options.member));
    const program = await findNatsProgram();
    const server = new SupervisedProcess({
      name: options.member?.name ?? 'nats',
      dataDir: folder,
      command: {
        file: '/bin/sh',
        args: [join(checkoutRoot, 'deploy/nats/with-secrets.sh'), configuration],
        cwd: folder,
        env: { ...foldersOf(folder), ...environmentOf(program, httpPort, options.member) },
      },
      signature: folder,
      stopSteps: [{ signal: 'SIGTERM', waitMs: 10_000 }],
      parentDeathSignal: 'SIGTERM',
      // A server that asks for a login is ready.
      probe: async () => {
        const problem = await probeNats('127.0.0.1', port);
        return problem?.includes('Authorization') ? undefined : problem;
      },
    });
    const broker = new DeployedBroker(port, httpPort, { ...options, folder }, server);
    broker.writePasswords(options.passwords);
    try {
      await server.start();
      await server.ready();
    } catch (error) {
      await broker.stop();
      throw error;
    }
    return broker;
  }

  get url(): string {
    return this.options.issue ? `tls://localhost:${this.port}` : `nats://127.0.0.1:${this.port}`;
  }

  get certificates(): string {
    return join(this.folder, 'certificates');
  }

  private get folder(): string {
    return this.options.folder;
  }

  /** The exit code of the check that containers run. */
  aliveStatus(): number | null {
    const env = { PATH: process.env['PATH'], MONITORING_URL: `http://127.0.0.1:${this.httpPort}` };
    return spawnSync('sh', [join(checkoutRoot, 'deploy/nats/alive.sh')], { env }).status;
  }

  get clusterPort(): number | undefined {
    return this.options.member?.clusterPort;
  }

  log(): string {
    return readFileSync(this.process.logFile, 'utf8');
  }

  address(natsUser: NatsUser, natsPassword: string, natsTlsCaFile?: string): BrokerAddress {
    return { natsUrl: this.url, natsUser, natsPassword, natsTlsCaFile };
  }

  /** Close it before the broker stops. */
  connectAsOperator(natsTlsCaFile?: string): Promise<BusConnection> {
    const address = this.address('operator', this.options.passwords.operator, natsTlsCaFile);
    return connectBus({ ...address, name: 'operator' });
  }

  changeRights(change: (text: string) => string): void {
    const file = join(this.folder, 'configuration', 'permissions.conf');
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  }

  /** Resolves when the server has taken the change of its files. */
  async afterReload(change: () => void | Promise<void>): Promise<void> {
    const reloads = (): number => this.log().split('Reloaded server configuration').length;
    const before = reloads();
    await change();
    await eventually('the server to take changed secrets', () => reloads() > before);
  }

  /** The server hangs; resolves to true when it has been ended within the limit. */
  async endsWhenStopped(limitMs: number): Promise<boolean> {
    this.process.kill('SIGSTOP');
    return this.process.exited(limitMs);
  }

  writePasswords(passwords: Record<NatsUser, string>): void {
    for (const user of natsUsers)
      writeFileSync(join(this.folder, 'secrets', natsPasswordVariable(user)), passwords[user]);
  }

  async stop(): Promise<void> {
    await this.process.stop();
    // with-secrets.sh watches the server in processes that end soon after it.
    await eventually('its watchers to end', () => processesIn(this.folder).length === 0);
  }
}

/** Three servers with the configuration of deploy/chart. */
export async function startDeployedCluster(options: Options): Promise<DeployedBroker[]> {
  const clusterPorts = await freePorts(3);
  const passwords = options.passwords ?? newNatsPasswords();
  return Promise.all(
    clusterPorts.map((clusterPort, index) =>
      DeployedBroker.start({
        ...options,
        passwords,
        member: { name: `nats-${index}`, clusterPort, clusterPorts },
      }),
    ),
  );
}

function foldersOf(folder: string): Record<string, string> {
  return {
    SECRETS_FOLDER: join(folder, 'secrets'),
    CERTIFICATES_FOLDER: join(folder, 'certificates'),
    IN_FORCE_FOLDER: join(folder, 'in-force'),
  };
}

function environmentOf(program: string, httpPort: number, member?: Member): Record<string, string> {
  return {
    PATH: `${dirname(program)}:${process.env['PATH'] ?? ''}`,
    COMPARE_SECONDS: '1',
    PROBE_SECONDS: '1',
    MONITORING_URL: `http://127.0.0.1:${httpPort}`,
    GOMAXPROCS: '1',
    ...(member && { POD_NAME: member.name }),
  };
}

/** The deployed configuration on other ports and folders. */
function adapted(place: { port: number; httpPort: number; storeDir: string }, member?: Member): string {
  const text = readFileSync(join(checkoutRoot, member ? DEPLOYED_CLUSTER : DEPLOYED), 'utf8')
    .replace(/^port: 4222$/m, `listen: "127.0.0.1:${place.port}"`)
    .replace(/^http: 8222$/m, `http: "127.0.0.1:${place.httpPort}"`)
    .replace('store_dir: /data', `store_dir: ${JSON.stringify(place.storeDir)}`)
    // Debian's 2.9 does not know it.
    .replace('sync_interval: always', '');
  if (!member) return text;
  return text
    .replace('port: 6222', `listen: "127.0.0.1:${member.clusterPort}"`)
    .replace(
      /nats:\/\/nats-(\d)\.nats-headless:6222/g,
      (_, index) => `nats://127.0.0.1:${member.clusterPorts[Number(index)]}`,
    );
}
