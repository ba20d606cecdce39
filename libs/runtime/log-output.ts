import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { droppedLogLines } from './metrics';

/**
 * Writes log lines to a file descriptor. A full disk, a missing reader or a failing device never ends or blocks the
 * process. Up to MAX_WAITING_CHARACTERS wait in memory; further lines are dropped and counted. A failed write is
 * retried, and after success a line reports the dropped ones.
 *
 * Replaces pino's destination: its write error is an uncaught exception, and its flushSync retries a failing write
 * forever.
 */
const MAX_WAITING_CHARACTERS = 1024 * 1024;
const RETRY_MS = 250;
/** How long a process waits for a slow reader at exit. */
const END_WAIT_MS = 2_000;
const END_PAUSE_MS = 10;

export class LogOutput implements LineOutput {
  private waiting: string[] = [];
  private waitingCharacters = 0;
  /** Bytes of the current write, or of the write to retry. */
  private current: Buffer | null = null;
  private isWriting = false;
  private isScheduled = false;
  private dropped = 0;
  private flushed: ((error?: Error) => void)[] = [];

  constructor(private readonly fd: number) {}

  write(lines: string): void {
    if (this.waitingCharacters + lines.length > MAX_WAITING_CHARACTERS) this.drop(lines);
    else {
      this.waiting.push(lines);
      this.waitingCharacters += lines.length;
    }
    // Deferred: a process that exits in this tick writes these lines synchronously, in order.
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.writeNext();
    });
  }

  /** `done` is called when everything is written, or a write failed. */
  flush(done?: (error?: Error) => void): void {
    if (done) this.flushed.push(done);
    if (!this.writeNext()) this.settleFlushes();
  }

  /** Used at exit: it must neither throw nor wait forever. */
  flushSync(): void {
    const deadline = performance.now() + END_WAIT_MS;
    // libuv's thread pool owns the current write; only later lines are written here.
    if (this.isWriting) this.current = null;
    for (let rest = this.next(); rest !== null; rest = this.next()) {
      const written = this.tryWriteSync(rest);
      if (written === null || performance.now() > deadline) return;
      this.advance(rest, written);
    }
  }

  /** The number of bytes written; null for an error that a retry does not fix. */
  private tryWriteSync(bytes: Buffer): number | null {
    try {
      return writeSync(this.fd, bytes);
    } catch (error) {
      if (!isBusy(error)) return null;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, END_PAUSE_MS);
      return 0;
    }
  }

  /** True when a write is in flight, or will be retried. */
  private writeNext(): boolean {
    if (this.isWriting) return true;
    const bytes = this.next();
    if (bytes === null) return false;
    this.isWriting = true;
    write(this.fd, bytes, (error, written) => {
      if (error) {
        this.settleFlushes(error);
        setTimeout(() => this.repeat(), RETRY_MS).unref();
        return;
      }
      this.isWriting = false;
      this.advance(bytes, written);
      if (!this.writeNext()) this.settleFlushes();
    });
    return true;
  }

  private repeat(): void {
    this.isWriting = false;
    this.writeNext();
  }

  private next(): Buffer | null {
    if (this.current === null && this.waiting.length > 0) {
      this.current = Buffer.from(this.waiting.join(''));
      this.waiting = [];
      this.waitingCharacters = 0;
    }
    return this.current;
  }

  private advance(bytes: Buffer, written: number): void {
    const rest = bytes.subarray(written);
    this.current = rest.length > 0 ? rest : null;
    if (this.current !== null || this.dropped === 0) return;
    const line = { level: 40, time: new Date().toISOString(), pid: process.pid, dropped_lines: this.dropped };
    this.dropped = 0;
    this.waiting.push(`${JSON.stringify({ ...line, msg: 'log lines were dropped' })}\n`);
  }

  private drop(lines: string): void {
    const count = lines.split('\n').length - 1;
    this.dropped += count;
    droppedLogLines.inc(count);
  }

  private settleFlushes(error?: Error): void {
    const settled = this.flushed;
    this.flushed = [];
    for (const done of settled) done(error);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EBUSY');
}

interface LineOutput extends DestinationStream {
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
