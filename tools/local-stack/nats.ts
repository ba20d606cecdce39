import { copyFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { checkoutRoot } from './checkout';
import { findNatsProgram } from './nats-program';
import { freePort, freePorts } from './ports';
import { type NatsUser, natsUsers, newPassword, type Secrets } from './secrets';
import { SupervisedProcess, type UnexpectedExit } from './supervised-process';

/**
 * This stack's own NATS server with JetStream, on 127.0.0.1, with the users and rights of
 * deploy/nats/permissions.conf, as in production. Supports 2.9.10 and newer.
 */
interface NatsOptions {
  dataDir: string;
  passwords: Record<NatsUser, string>;
  port?: number;
  /** Member of a cluster; a single server by default. */
  member?: ClusterMember;
  onProgress?: (line: string) => void;
  onExit?: (event: UnexpectedExit) => void;
  onStart?: (pid: number) => void;
  signal?: AbortSignal;
}

/** A server of a cluster: its name, and the ports of the cluster's routes. */
interface ClusterMember {
  name: string;
  clusterPort: number;
  clusterPorts: number[];
}

export interface NatsServer {
  process: SupervisedProcess;
  port: number;
  /** Without user and password. */
  url: string;
  /** JetStream's files, for tests that wipe them. */
  storeDir: string;
}

export async function startNats(options: NatsOptions): Promise<NatsServer> {
  const program = await findNatsProgram({ onProgress: options.onProgress, signal: options.signal });
  options.signal?.throwIfAborted();
  const dataDir = realpathSync(options.dataDir);
  const port = options.port ?? (await freePort());
  const monitoringPort = await freePort();
  const name = options.member?.name ?? 'nats';
  const folder = join(dataDir, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const storeDir = join(folder, 'jetstream');
  const configFile = writeConfig(folder, { port, monitoringPort, storeDir }, options.member);

  const login = { user: 'operator', password: options.passwords.operator };
  const server = new SupervisedProcess({
    name,
    dataDir,
    command: { file: program, args: ['-c', configFile], cwd: '/', env: environment(options.passwords) },
    signature: `-c ${configFile}`,
    stopSteps: [{ signal: 'SIGTERM', waitMs: 10_000 }],
    parentDeathSignal: 'SIGTERM',
    probe: async () => (await probeNats('127.0.0.1', port, login, true)) ?? probeStreams(monitoringPort),
    // Servers of a cluster answer for each other, and wait for a majority.
    hanging: options.member ? undefined : { problems: [NO_ANSWER, NOT_STORING], pollMs: HANG_POLL_MS },
    onExit: options.onExit,
    onStart: options.onStart,
    onWait: options.onProgress,
  });
  try {
    await server.start();
    await server.ready(30_000, options.signal);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { process: server, port, url: `nats://127.0.0.1:${port}`, storeDir };
}

function writeConfig(
  folder: string,
  { port, monitoringPort, storeDir }: { port: number; monitoringPort: number; storeDir: string },
  member?: ClusterMember,
): string {
  const configFile = join(folder, 'nats.conf');
  copyFileSync(join(checkoutRoot, 'deploy', 'nats', 'permissions.conf'), join(folder, 'permissions.conf'));
  const lines = [
    `# Written at every start.`,
    `server_name: ${member?.name ?? 'offizin-local'}`,
    `listen: "127.0.0.1:${port}"`,
    `http: "127.0.0.1:${monitoringPort}"`,
    `max_payload: 2MB`,
    // See deploy/nats/server.conf.
    `ping_interval: "5s"`,
    `ping_max: 2`,
    `jetstream { store_dir: ${JSON.stringify(storeDir)}, max_file_store: 8GB }`,
    ...(member ? clusterLines(member) : []),
    `include ./permissions.conf`,
  ];
  writeFileSync(configFile, lines.join('\n') + '\n');
  return configFile;
}

function clusterLines({ clusterPort, clusterPorts }: ClusterMember): string[] {
  const routes = clusterPorts.map((port) => `nats://127.0.0.1:${port}`);
  return [`cluster { name: offizin, listen: "127.0.0.1:${clusterPort}", routes: ${JSON.stringify(routes)} }`];
}

function environment(passwords: Record<NatsUser, string>): NodeJS.ProcessEnv {
  const variables = natsUsers.flatMap((user) => [
    [natsPasswordVariable(user), passwords[user]],
    // Of the second user, who is only there for a rotation.
    [`${natsPasswordVariable(user)}_2`, newPassword()],
  ]);
  // One thread suffices on one machine; more would take CPU time from the apps by polling for work.
  return {
    PATH: process.env.PATH,
    GOMAXPROCS: '1',
    ...(Object.fromEntries(variables) as Record<string, string>),
  };
}

/** `webhook-worker` → `NATS_WEBHOOK_WORKER_PASSWORD` */
export function natsPasswordVariable(user: NatsUser): string {
  return `NATS_${user.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
}

const NO_ANSWER = 'no answer within 2 s';
const NOT_STORING = 'a stream stores nothing';
/** With the 2 s of each probe, four silent ones take 20 s. */
const HANG_POLL_MS = 3_000;

/** Requests the account's JetStream information, which a cluster without a leader refuses. */
const askJetStream = 'SUB _INBOX.probe 1\r\nPUB $JS.API.INFO _INBOX.probe 0\r\n\r\n';

/**
 * Signs in and sends a PING in the plain protocol, because only libs/bus may use the client library. With
 * `jetStream` it queries JetStream, too. Undefined if the server is ready and has JetStream, else the reason.
 */
export function probeNats(
  host: string,
  port: number,
  login?: { user: string; password: string },
  jetStream = false,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 });
    let received = '';
    const finish = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.on('timeout', () => finish(NO_ANSWER));
    socket.on('error', (error) => finish(error.message));
    socket.on('close', () => finish('connection closed'));
    socket.on('data', (chunk: Buffer) => {
      const greeted = received.includes('\r\n');
      received += chunk.toString('utf8');
      if (!greeted && received.includes('\r\n')) {
        // Without a client certificate only the greeting of a TLS server can be checked.
        if (received.includes('"tls_required":true')) return finish();
        if (!received.includes('"jetstream":true')) return finish('it runs without JetStream');
        const options = {
          user: login?.user,
          pass: login?.password,
          verbose: false,
          lang: 'probe',
          version: '1',
        };
        socket.write(`CONNECT ${JSON.stringify(options)}\r\n${jetStream ? askJetStream : 'PING\r\n'}`);
      }
      const reply = /MSG _INBOX\.probe 1 \d+\r\n(.*)\r\n/.exec(received)?.[1];
      if (reply) finish(reply.includes('"error"') ? `JetStream answers ${reply}` : undefined);
      if (received.includes('-ERR')) finish(received.slice(received.indexOf('-ERR')).trim());
      else if (received.includes('PONG\r\n')) finish();
    });
  });
}

/**
 * After a full disk, a stream of NATS 2.15 answers no request until a restart, while JetStream answers: only the health
 * page states it. A page that cannot be read proves nothing.
 */
async function probeStreams(monitoringPort: number): Promise<string | undefined> {
  const signal = AbortSignal.timeout(2_000);
  const answer = await fetch(`http://127.0.0.1:${monitoringPort}/healthz`, { signal }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 503 ? NOT_STORING : undefined;
}

/** The smallest size at which one server may fail. */
const clusterSize = 3;

/**
 * Starts a NATS cluster of three servers on 127.0.0.1, each with its own folder (`nats-1` to `nats-3`). Resolves
 * when they have elected a leader; stops all on failure.
 */
export async function startNatsCluster(options: Omit<NatsOptions, 'port' | 'member'>): Promise<NatsServer[]> {
  const clusterPorts = await freePorts(clusterSize);
  const starts = clusterPorts.map((clusterPort, index) =>
    startNats({ ...options, member: { name: `nats-${index + 1}`, clusterPort, clusterPorts } }),
  );
  const results = await Promise.allSettled(starts);
  const servers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failure = results.find((result) => result.status === 'rejected');
  if (!failure) return servers;
  await Promise.all(servers.map((server) => server.process.stop()));
  throw failure.reason;
}

interface NatsLogin {
  user: string;
  password: string;
}

/**
 * Logins at the broker. At the stack's own server each app has its own user. At an external one (`natsUrl`): users
 * of permissions.conf whose passwords are in the environment, else the user in the URL, else none.
 */
export function natsLogins(
  natsUrl: string | undefined,
  secrets: Secrets,
): (user: NatsUser) => NatsLogin | undefined {
  return (user) => {
    if (!natsUrl) return { user, password: secrets.natsPasswords[user] };
    const own = process.env[natsPasswordVariable(user)];
    if (own) return { user, password: own };
    const { username, password } = new URL(natsUrl);
    if (!username) return undefined;
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  };
}

export async function checkExternalNats(natsUrl: string, login: NatsLogin | undefined): Promise<void> {
  const { hostname, port } = new URL(natsUrl);
  const problem = await probeNats(hostname, Number(port || 4222), login);
  if (problem) throw new Error(`NATS_URL (${withoutLogin(natsUrl)}) cannot be used: ${problem}`);
}

export function withoutLogin(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}
