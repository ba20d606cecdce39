import { connect, type Socket } from 'node:net';
import { headerLines, type Target } from '@offizin/testkit/edge-target';
import { eventually } from '@offizin/testkit/eventually';
import { type Pace, paceOf } from '@offizin/testkit/load/pace';

/** The pace of a slow body. */
export interface SlowBody {
  announcedBytes: number;
  firstBytes: number;
  pieceBytes: number;
  everyMs: number;
}

/** A body that would need more than a day. */
export const DRIP: SlowBody = { announcedBytes: 60_000, firstBytes: 1, pieceBytes: 1, everyMs: 2_000 };

/** Passes the 64 KiB that an edge collects, and then occupies a connection to order-core at the minimum pace. */
export const CRAWL: SlowBody = {
  announcedBytes: 100 * 1024,
  firstBytes: 64 * 1024 + 1,
  // A quarter above 1 KiB/s: a late timer must not break the minimum pace.
  pieceBytes: 1_280,
  everyMs: 1_000,
};

/** Requests with a valid key and slow bodies. A new request replaces each one that the edge ends. */
export class SlowBodies {
  /** Number of answers by status; `none` counts connections closed without an answer. */
  readonly statuses: Record<string, number> = {};
  private readonly open = new Map<Socket, () => void>();
  private begun = 0;
  private longestMs = 0;
  private isRunning = true;

  constructor(
    private readonly target: Target,
    private readonly body: SlowBody,
  ) {}

  /** Resolves when `count` bodies have begun. */
  async begin(count: number, pace: Pace): Promise<void> {
    const next = paceOf(pace);
    const repeat = async (): Promise<void> => {
      for (;;) {
        await next();
        if (!this.isRunning) return;
        await this.send();
      }
    };
    for (let n = 0; n < count; n++) void repeat();
    await eventually(`${count} slow bodies to begin`, () => this.begun >= count);
  }

  /** Begins no further bodies. Resolves with the time of the longest body in ms; infinite when one is open after the limit. */
  async untilEnded(limitMs: number): Promise<number> {
    this.isRunning = false;
    const ended = eventually('the slow bodies to be ended', () => this.open.size === 0, limitMs);
    return ended.then(
      () => this.longestMs,
      () => Infinity,
    );
  }

  /** Closes all connections. */
  leave(): void {
    this.isRunning = false;
    for (const leave of this.open.values()) leave();
  }

  /** Resolves when the edge has answered or closed the connection, or the attack is over. */
  private send(): Promise<void> {
    const { url, path, headers } = this.target;
    const { hostname, port } = new URL(url);
    const startedAtMs = performance.now();
    const socket = connect(Number(port), hostname);
    return new Promise((resolve) => {
      const close = (): boolean => {
        clearInterval(dripping);
        socket.destroy();
        resolve();
        return this.open.delete(socket);
      };
      const ended = (status: string): void => {
        if (!close()) return;
        this.statuses[status] = (this.statuses[status] ?? 0) + 1;
        this.longestMs = Math.max(this.longestMs, performance.now() - startedAtMs);
      };
      this.open.set(socket, close);
      socket.once('connect', () => this.begun++);
      socket.once('data', (answer) => ended(answer.toString('latin1', 9, 12)));
      for (const event of ['end', 'error', 'close']) socket.on(event, () => ended('none'));
      const lines = headerLines({ ...headers, ...this.bodyHeaders() });
      socket.write([`POST ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
      const dripping = this.drip(socket);
    });
  }

  private bodyHeaders(): Record<string, string> {
    return { 'content-type': 'application/json', 'content-length': String(this.body.announcedBytes) };
  }

  private drip(socket: Socket): NodeJS.Timeout {
    const { announcedBytes, firstBytes, pieceBytes, everyMs } = this.body;
    let sentBytes = firstBytes;
    socket.write(' '.repeat(firstBytes));
    return setInterval(() => {
      const bytes = Math.min(pieceBytes, announcedBytes - sentBytes);
      sentBytes += bytes;
      if (bytes > 0) socket.write(' '.repeat(bytes));
    }, everyMs);
  }
}
