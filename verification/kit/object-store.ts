import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { killChild } from './programs';

const BUCKET = 'documents';
const KEY = 'S3RVER';
/** s3rver keeps the bytes of an object in a file with this end. */
const CONTENT = '._S3rver_object';

/** A bucket on a real server of the S3 API (object-server.mjs). */
export class ObjectStore {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    private port: number,
  ) {}

  static async start(): Promise<ObjectStore> {
    const store = new ObjectStore(mkdtempSync(join(tmpdir(), 'offizin-objects-')), 0);
    await store.start();
    return store;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/${BUCKET}/prescriptions`;
  }

  /** Settings of order-core. */
  get environment(): Record<string, string> {
    return {
      DOCUMENT_STORE_URL: this.url,
      DOCUMENT_STORE_ACCESS_KEY_ID: KEY,
      DOCUMENT_STORE_SECRET_ACCESS_KEY: KEY,
      DOCUMENT_STORE_AFTER_DAYS: '0',
    };
  }

  /** On the same port after `kill`. */
  async start(): Promise<void> {
    const script = join(__dirname, 'object-server.mjs');
    const args = [script, this.folder, BUCKET, String(this.port)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    this.child = child;
    const lines = createInterface(child.stdout);
    const ended = once(child, 'exit').then(() => ['']);
    const [port] = (await Promise.race([once(lines, 'line'), ended])) as [string];
    if (port === '') throw new Error('the object store did not start');
    lines.close();
    child.stdout.destroy();
    this.port = Number(port);
  }

  /** It takes connections, and answers nothing until `resume`. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    await killChild(this.child);
  }

  /** Running, and empty. */
  async restart(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder);
    await this.start();
  }

  async stop(): Promise<void> {
    await this.kill();
  }

  /** Names of the objects, without the folder of the setting. */
  names(): string[] {
    const folder = this.objects();
    if (!existsSync(folder)) return [];
    return readdirSync(folder).flatMap((file) =>
      file.endsWith(CONTENT) ? file.slice(0, -CONTENT.length) : [],
    );
  }

  bytes(name: string): Buffer {
    return readFileSync(this.file(name));
  }

  overwrite(name: string, bytes: Buffer): void {
    writeFileSync(this.file(name), bytes);
  }

  /** Every call is answered 500 until `repair`: the folder of the bucket is a file. */
  damage(): void {
    const bucket = join(this.folder, BUCKET);
    renameSync(bucket, `${bucket}.kept`);
    writeFileSync(bucket, '');
  }

  repair(): void {
    const bucket = join(this.folder, BUCKET);
    rmSync(bucket);
    renameSync(`${bucket}.kept`, bucket);
  }

  private objects(): string {
    return join(this.folder, BUCKET, 'prescriptions');
  }

  private file(name: string): string {
    return join(this.objects(), name + CONTENT);
  }
}
