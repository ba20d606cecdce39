import { copyFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { checkoutRoot } from './checkout';
import { findNatsProgram } from './nats-program';
import { freePort } from './ports';
import { natsUsers } from './secrets';
import type { NatsUser } from './secrets';
import { SupervisedProcess } from './supervised-process';
import type { UnexpectedExit } from './supervised-process';

/**
 * A real NATS server with JetStream of this stack's own, on 127.0.0.1, with the users and rights of
 * deploy/nats/permissions.conf, the very file that production uses. Works with 2.9.10 and newer.
 */
export interface NatsOptions {
  dataDir: string;
  passwords: Record<NatsUser, string>;
  port?: number;
  /** Folders to search for nats-server; PATH and the usual ones unless given. */
  programFolders?: string[];
  onProgress?: (line: string) => void;
  onExit?: (event: UnexpectedExit) => void;
  onStart?: (pid: number) => void;
  signal?: AbortSignal;
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
  mkdirSync(join(options.dataDir, 'nats'), { recursive: true, mode: 0o700 });
  const dataDir = realpathSync(options.dataDir);
  const port = options.port ?? (await freePort());
  const storeDir = join(dataDir, 'nats', 'jetstream');
  const configFile = writeConfig(join(dataDir, 'nats'), port, storeDir);

  const server = new SupervisedProcess({
    name: 'nats',
    dataDir,
    command: { file: program, args: ['-c', configFile], cwd: '/', env: environment(options.passwords) },
    signature: `-c ${configFile}`,
    stopSteps: [{ signal: 'SIGTERM', waitMs: 10_000 }],
    parentDeathSignal: 'SIGTERM',
    probe: () => probeNats('127.0.0.1', port, { user: 'operator', password: options.passwords.operator }),
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

function writeConfig(folder: string, port: number, storeDir: string): string {
  const configFile = join(folder, 'nats.conf');
  copyFileSync(join(checkoutRoot, 'deploy', 'nats', 'permissions.conf'), join(folder, 'permissions.conf'));
  const lines = [
    `# Written at every start.`,
    `server_name: offizin-local`,
    `listen: "127.0.0.1:${port}"`,
    `max_payload: 2MB`,
    `jetstream { store_dir: ${JSON.stringify(storeDir)} }`,
    `include ./permissions.conf`,
  ];
  writeFileSync(configFile, lines.join('\n') + '\n');
  return configFile;
}

function environment(passwords: Record<NatsUser, string>): NodeJS.ProcessEnv {
  const variables = natsUsers.map((user) => [natsPasswordVariable(user), passwords[user]]);
  return { PATH: process.env.PATH, ...(Object.fromEntries(variables) as Record<string, string>) };
}

/** `webhook-worker` → `NATS_WEBHOOK_WORKER_PASSWORD` */
export function natsPasswordVariable(user: NatsUser): string {
  return `NATS_${user.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
}

/**
 * Signs in and asks for a PONG, in the bare protocol: only libs/bus may use the client library. Undefined when the
 * server is ready and has JetStream, else why not.
 */
export function probeNats(
  host: string,
  port: number,
  login?: { user: string; password: string },
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
        // Without a certificate at hand, the greeting of a TLS server is all that can be checked.
        if (received.includes('"tls_required":true')) return finish();
        if (!received.includes('"jetstream":true')) return finish('it runs without JetStream');
        const options = {
          user: login?.user,
          pass: login?.password,
          verbose: false,
          lang: 'probe',
          version: '1',
        };
        socket.write(`CONNECT ${JSON.stringify(options)}\r\nPING\r\n`);
      }
      if (received.includes('-ERR')) finish(received.slice(received.indexOf('-ERR')).trim());
      else if (received.includes('PONG\r\n')) finish();
    });
  });
}
