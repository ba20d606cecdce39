import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { startStack, type Stack, type StackOptions } from '@offizin/local-stack/stack';
import { freeStackPorts, type StackPorts } from '@offizin/local-stack/stack-ports';
import { withGenerousLimits } from '@offizin/testkit/own-stack';
import { TestOrganization } from '@offizin/testkit/organization';
import { accessTo, TestPlatform } from '@offizin/testkit/platform';
import { RecordingReceiver, type ReceiverAnswer } from './recording-receiver';

/** A stack of real processes for one promise, with one organization, its database and its subscribers. */
export interface TrialOptions {
  extraEnv?: StackOptions['extraEnv'];
  databaseUrl?: string;
  /** As `npm start`: a process that dies or hangs is started again. */
  restart?: boolean;
  onProcessChange?: StackOptions['onProcessChange'];
  /** Called when all ports are known, before any call. */
  onPorts?: (ports: StackPorts) => void;
  /** Called with the data folder before anything starts, such as to mount something in it. */
  prepare?: (dataDir: string) => void;
  /** The counterpart, after everything has stopped. */
  cleanUp?: (dataDir: string) => void;
}

export class Trial {
  private readonly receivers: RecordingReceiver[] = [];

  private constructor(
    readonly stack: Stack,
    readonly platform: TestPlatform,
    readonly organization: TestOrganization,
    /** The database administrator's connections, without a proxy. */
    private readonly database: Pool,
    private readonly cleanUp: () => void,
  ) {}

  static async open(options: TrialOptions): Promise<Trial> {
    const dataDir = mkdtempSync(join(tmpdir(), 'offizin-chaos-'));
    const cleanUp = (): void => {
      options.cleanUp?.(dataDir);
      rmSync(dataDir, { recursive: true, force: true });
    };
    options.prepare?.(dataDir);
    const { databaseUrl, restart, onProcessChange } = options;
    const extraEnv = withGenerousLimits(options.extraEnv);
    const ports = await freeStackPorts();
    options.onPorts?.(ports);
    const stack = await startStack({ dataDir, ports, databaseUrl, restart, onProcessChange, extraEnv }).catch(
      (error: unknown) => {
        cleanUp();
        throw error;
      },
    );
    try {
      const platform = await TestPlatform.connect(accessTo(stack));
      const organization = await platform.organization();
      const database = new Pool({ connectionString: stack.adminDatabaseUrl, max: 3 });
      // The server is killed on purpose; the pool opens another connection.
      database.on('error', () => undefined);
      return new Trial(stack, platform, organization, database, cleanUp);
    } catch (error) {
      await stack.killAll();
      cleanUp();
      throw error;
    }
  }

  async sql<Row extends object>(text: string, ...params: unknown[]): Promise<Row[]> {
    const { rows } = await this.database.query<Row>(text, params);
    return rows;
  }

  /** Holds a lock while the work runs, such as to stop a process in the middle of a step. */
  async holding<T>(lockSql: string, params: unknown[], work: () => Promise<T>): Promise<T> {
    const client = await this.database.connect();
    try {
      await client.query('BEGIN');
      await client.query(lockSql, params);
      return await work();
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  }

  /** A subscriber of all events of the organization. */
  async subscribe(name: string, answer?: ReceiverAnswer, of = this.organization): Promise<RecordingReceiver> {
    const receiver = await RecordingReceiver.start(name, answer);
    this.receivers.push(receiver);
    const { status, body } = await of.api('POST', '/webhooks', { url: receiver.url });
    if (status !== 201) throw new Error(`a subscription was answered ${status}: ${body.toString()}`);
    return receiver;
  }

  /** The same organization at other addresses: a replica or a proxy. */
  by(urls: Partial<TestOrganization['urls']>): TestOrganization {
    const { organization } = this;
    const other = new TestOrganization({ ...organization.urls, ...urls }, organization);
    other.token = organization.token;
    return other;
  }

  async close(): Promise<void> {
    await this.platform.close().catch(() => undefined);
    await this.database.end().catch(() => undefined);
    // The apps first: deliveries in flight are answered, and none fails at the end of a trial.
    await this.stack.stop().catch(() => this.stack.killAll());
    await Promise.all(this.receivers.map((receiver) => receiver.close()));
    this.cleanUp();
  }
}
