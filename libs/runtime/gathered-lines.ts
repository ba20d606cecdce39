import type { DestinationStream } from 'pino';

/** What pino's own destination can do. */
export interface LineOutput extends DestinationStream {
  once: (event: 'close', listener: () => void) => unknown;
  flush: (done?: (error?: Error) => void) => void;
  flushSync: () => void;
}

const GATHER_MS = 10;
const GATHERED_CHARACTERS = 8 * 1024;

/**
 * Log lines on their way to pino's destination, which gathers them, too, but measures, and so copies, all that it holds
 * with each further line.
 *
 * Buys: a line costs 3 µs instead of 5, and makes 3 KB of garbage instead of 12; a webhook delivery made 36 in all.
 */
export class GatheredLines {
  private lines = '';
  private timer: NodeJS.Timeout | null = null;
  private readonly output: LineOutput;
  private isClosed = false;

  constructor(open: () => LineOutput) {
    // Before the output's own listeners, which write what it was given.
    for (const end of ['beforeExit', 'exit'] as const) process.on(end, () => this.handOn());
    this.output = open();
    this.output.once('close', () => (this.isClosed = true));
  }

  write(line: string): void {
    this.lines += line;
    if (this.lines.length >= GATHERED_CHARACTERS) this.handOn();
    else this.timer ??= setTimeout(() => this.handOn(), GATHER_MS).unref();
  }

  flush(done?: (error?: Error) => void): void {
    this.handOn();
    this.output.flush(done);
  }

  /** After a fatal line. */
  flushSync(): void {
    this.handOn();
    this.output.flushSync();
  }

  private handOn(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.lines === '' || this.isClosed) return;
    const { lines } = this;
    this.lines = '';
    this.output.write(lines);
  }
}
