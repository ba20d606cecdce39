import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BusOptions, connectBus } from '@offizin/bus/connection';
import type { BusConnection } from '@offizin/bus/key-value';
import { EVENTS_STREAM } from '@offizin/events/event-stream';
import { startNats } from '@offizin/local-stack/nats';
import { freePort } from '@offizin/local-stack/ports';
import { type NatsUser, newNatsPasswords } from '@offizin/local-stack/secrets';

/**
 * A NATS server for one spec that deletes streams and buckets or projects a directory: on the shared server it
 * would break the other specs.
 */
export class TestBroker {
  private readonly connections: BusConnection[] = [];

  private constructor(
    private server: Awaited<ReturnType<typeof startNats>>,
    private readonly start: () => ReturnType<typeof startNats>,
    readonly login: Omit<BusOptions, 'name'>,
    private readonly passwords: Record<NatsUser, string>,
  ) {}

  static async start(): Promise<TestBroker> {
    const folder = mkdtempSync(join(tmpdir(), 'offizin-broker-'));
    const passwords = newNatsPasswords();
    const port = await freePort();
    const start = () => startNats({ dataDir: folder, passwords, port });
    const server = await start();
    const login = { natsUrl: server.url, natsUser: 'operator', natsPassword: passwords.operator };
    return new TestBroker(server, start, login, passwords);
  }

  /** A connection as processes open it; closed with the broker. */
  async connect(name: string): Promise<BusConnection> {
    const connection = await connectBus({ ...this.login, name });
    this.connections.push(connection);
    return connection;
  }

  /** A connection with the rights of an app. */
  async connectAs(natsUser: NatsUser): Promise<BusConnection> {
    const login = { ...this.login, natsUser, natsPassword: this.passwords[natsUser] };
    const connection = await connectBus({ ...login, name: natsUser });
    this.connections.push(connection);
    return connection;
  }

  /** Stops the server, deletes its data and restarts it on the same port. */
  async wipe(): Promise<void> {
    await this.server.process.stop();
    rmSync(this.server.storeDir, { recursive: true, force: true });
    this.server = await this.start();
  }

  /** Kills the server, runs `work` and restarts the server on the same port. */
  async whileAway<T>(work: () => Promise<T>): Promise<T> {
    this.server.process.end('SIGKILL');
    await this.server.process.exited(5_000);
    try {
      return await work();
    } finally {
      this.server = await this.start();
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
    await this.server.process.stop();
  }
}

/** Limits the size of the event stream to `maxBytes`, at least several messages of up to 128 KiB. */
export async function limitEventStream(access: Omit<BusOptions, 'name'>, maxBytes: number): Promise<void> {
  const connection = await connectBus({ ...access, name: 'operator' });
  const manager = await connection.jetstreamManager();
  await manager.streams.update(EVENTS_STREAM, { max_bytes: maxBytes }).finally(() => connection.close());
}
