import { type ClientRequest, get } from 'node:http';
import type { TestPerson } from '@offizin/testkit/person';

const LIMIT_MS = 10_000;
/** As from several pharmacies: the gateway limits the connections of one address. */
const STREAMS_PER_ADDRESS = 200;

/** A console's stream as a browser holds it open; says when which object was named in a change. */
export class OpenStream {
  /** By id of the object, on the clock of `performance.now()`. */
  readonly seenAtMs = new Map<string, number>();
  readonly ended: Promise<number>;
  private static opened = 0;
  private waiting: (() => void)[] = [];
  private text = '';

  private constructor(private readonly request: ClientRequest) {
    this.ended = new Promise((resolve) => request.once('close', () => resolve(performance.now())));
  }

  /** Resolves with the first bytes. */
  static async open(baseUrl: string, { cookie, pageHeaders }: TestPerson): Promise<OpenStream> {
    const headers = { ...pageHeaders, cookie };
    const localAddress = `127.0.0.${1 + Math.floor(OpenStream.opened++ / STREAMS_PER_ADDRESS)}`;
    const request = get(`${baseUrl}/console/api/live`, { headers, agent: false, localAddress });
    const stream = new OpenStream(request);
    await new Promise<void>((resolve, reject) => {
      request.once('error', reject);
      request.once('response', (response) => {
        if (response.statusCode !== 200) reject(new Error(`a stream was answered ${response.statusCode}`));
        response.setEncoding('utf8');
        // The gateway ends the stream, or we do.
        response.on('error', () => undefined);
        response.on('data', (piece: string) => {
          stream.add(piece);
          resolve();
        });
      });
    });
    request.on('error', () => undefined);
    return stream;
  }

  /** When a change of this object came. */
  async seen(id: string): Promise<number> {
    const deadline = performance.now() + LIMIT_MS;
    for (;;) {
      const atMs = this.seenAtMs.get(id);
      if (atMs !== undefined) return atMs;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw new Error('a change did not come to an open stream within 10 s');
      await this.nextPiece(leftMs);
    }
  }

  close(): void {
    this.request.destroy();
  }

  private async nextPiece(leftMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, leftMs);
      this.waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private add(piece: string): void {
    const atMs = performance.now();
    const messages = `${this.text}${piece}`.split('\n\n');
    this.text = messages.pop() ?? '';
    for (const message of messages) {
      if (!message.startsWith('event: change\n')) continue;
      const { changes } = JSON.parse(message.slice(message.indexOf('data: ') + 6)) as {
        changes: { id: string }[];
      };
      for (const { id } of changes) if (!this.seenAtMs.has(id)) this.seenAtMs.set(id, atMs);
    }
    for (const wake of this.waiting.splice(0)) wake();
  }
}
