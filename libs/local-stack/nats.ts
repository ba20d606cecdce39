import { copyFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { checkoutRoot } from './checkout';
import { findNatsProgram } from './nats-program';
import { freePort } from './ports';
import { natsUsers, newPassword } from './secrets';
import type { NatsUser } from './secrets';
import { SupervisedProcess } from './supervised-process';
import type { UnexpectedExit } from './supervised-process';

/**
 * This stack's own NATS server with JetStream, on 127.0.0.1, with the users and rights of
 * deploy/nats/permissions.conf, as in production. Supports 2.9.10 and newer.
 */
export interface NatsOptions {
  dataDir: string;
  passwords: Record<NatsUser, string>;
  port?: number;
  /** Member of a cluster; a single server by default. */
  member?: ClusterMember;
  /** Folders to search for nats-server; PATH and the usual ones unless given. */
  programFolders?: string[];
  onProgress?: (line: string) => void;
  onExit?: (event: UnexpectedExit) => void;
  onStart?: (pid: number) => void;
  signal?: AbortSignal;
}

/** A server of a cluster: its name, and the ports of the cluster's routes. */
export interface ClusterMember {
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
  const program = await findNatsProgram({ folders: options.programFolders, onProgress: options.onProgress });
  options.signal?.throwIfAborted();
  const dataDir = realpathSync(options.dataDir);
  const port = options.port ?? (await freePort());
  const name = options.member?.name ?? 'nats';
  const folder = join(dataDir, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const storeDir = join(folder, 'jetstream');
  const configFile = writeConfig(folder, port, storeDir, options.member);

  const server = new SupervisedProcess({
    name,
    dataDir,
    command: { file: program, args: ['-c', configFile], cwd: '/', env: environment(options.passwords) },
    signature: `-c ${configFile}`,
    stopSteps: [{ signal: 'SIGTERM', waitMs: 10_000 }],
    parentDeathSignal: 'SIGTERM',
    probe: () =>
      probeNats('127.0.0.1', port, { user: 'operator', password: options.passwords.operator }, true),
    onExit: options.onExit,
    onStart: options.onStart,
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

function writeConfig(folder: string, port: number, storeDir: string, member?: ClusterMember): string {
  const configFile = join(folder, 'nats.conf');
  copyFileSync(join(checkoutRoot, 'deploy', 'nats', 'permissions.conf'), join(folder, 'permissions.conf'));
  const lines = [
    `# Written at every start.`,
    `server_name: ${member?.name ?? 'offizin-local'}`,
    `listen: "127.0.0.1:${port}"`,
    `max_payload: 2MB`,
    // See deploy/nats/server.conf.
    `ping_interval: "5s"`,
    `ping_max: 2`,
    `jetstream { store_dir: ${JSON.stringify(storeDir)} }`,
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
    socket.on('timeout', () => finish('no answer within 2 s'));
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
