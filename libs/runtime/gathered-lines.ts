import type { DestinationStream } from 'pino';

export interface LineOutput extends DestinationStream {
  flush: (done?: (error?: Error) => void) => void;
  flushSync: () => void;
}

/** A write per line is expensive. A killed process loses the lines of this time. */
const GATHER_MS = 50;
const GATHERED_CHARACTERS = 8 * 1024;

/** One string is cheaper than measuring each line. */
export class GatheredLines {
  private lines = '';
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly output: LineOutput) {
    process.on('beforeExit', () => this.handOn());
    process.on('exit', () => this.flushSync());
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

  flushSync(): void {
    this.handOn();
    this.output.flushSync();
  }

  private handOn(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.lines === '') return;
    const { lines } = this;
    this.lines = '';
    this.output.write(lines);
  }
}
