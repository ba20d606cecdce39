import { Worker } from 'node:worker_threads';
import { Refused, Unreachable } from '@offizin/contracts/calls/errors';
import { errorFields, log } from './log';

/**
 * A thread pool for work that would block the event loop. Each thread runs one job at a time, in a separate module
 * that calls `serveJobs` (work-thread.ts).
 *
 * Guarantees: every job ends with a result, a refusal or `Unreachable`, even when its thread dies or hangs. At most
 * `maxWaiting` jobs wait. Threads start on demand and end when idle. With piscina 5 and no idle thread, a lost or hanging
 * thread would fail the waiting jobs, too.
 */
export interface WorkThreadsOptions {
  /** For the log. */
  name: string;
  /** The compiled module that each thread runs. */
  file: string;
  threads: number;
  /** Limit of waiting jobs; one more throws `Unreachable`. */
  maxWaiting: number;
  /** A thread that takes longer for one job is terminated. */
  jobTimeoutMs: number;
  /** An idle thread is terminated after this long, which frees its memory. */
  idleMs: number;
  /**
   * Heap of one thread. Jobs must stay far below it: out of memory inside JSON.parse, V8 ends the whole process.
   */
  heapMb: number;
}

/** A thread's report on one job. */
export type JobOutcome<Result> =
  | { outcome: 'done'; result: Result }
  | { outcome: 'refused'; refusal: Pick<Refused, 'code' | 'message' | 'details'> }
  | { outcome: 'failed'; message: string; stack: string | undefined };

/** How a job ended: its outcome, or the loss of its thread. */
type Ending<Result> = JobOutcome<Result> | { outcome: 'lost'; error: Error };

interface Waiting<Job, Result> {
  job: Job;
  /** Transferred, not copied: the caller can no longer use them. */
  transfer: ArrayBuffer[];
  end: (ending: Ending<Result>) => void;
}

export class WorkThreads<Job, Result> {
  private readonly waiting: Waiting<Job, Result>[] = [];
  private readonly threads = new Set<Thread<Job, Result>>();
  private readonly accepted = new Set<Promise<unknown>>();

  constructor(private readonly options: WorkThreadsOptions) {}

  /** Throws the job's `Refused` or error, or `Unreachable` when the job was not completed. */
  async run(job: Job, transfer: ArrayBuffer[]): Promise<Result> {
    if (this.waiting.length >= this.options.maxWaiting) throw notDone(new Error('too many are waiting'));
    const ended = new Promise<Ending<Result>>((end) => this.waiting.push({ job, transfer, end }));
    this.accepted.add(ended);
    this.next();
    const ending = await ended.finally(() => this.accepted.delete(ended));
    if (ending.outcome === 'done') return ending.result;
    if (ending.outcome === 'lost') throw notDone(ending.error);
    if (ending.outcome === 'failed') throw failureOf(ending);
    const { code, message, details } = ending.refusal;
    throw new Refused(code, message, details);
  }

  /** Waits for all accepted jobs. */
  async stop(): Promise<void> {
    await Promise.all(this.accepted);
    await Promise.all([...this.threads].map((thread) => thread.end()));
  }

  /** Gives the oldest waiting job to a free thread, or to a new one. */
  private next(): void {
    if (this.waiting.length === 0) return;
    const free = [...this.threads].find((thread) => thread.isFree) ?? this.another();
    if (!free) return;
    const first = this.waiting.shift();
    if (first) free.take(first);
  }

  private another(): Thread<Job, Result> | null {
    if (this.threads.size >= this.options.threads) return null;
    const thread = new Thread<Job, Result>(this.options, {
      free: () => this.next(),
      gone: () => {
        this.threads.delete(thread);
        this.next();
      },
    });
    this.threads.add(thread);
    return thread;
  }
}

class Thread<Job, Result> {
  private readonly worker: Worker;
  private current: Waiting<Job, Result> | null = null;
  private isGone = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: WorkThreadsOptions,
    private readonly tell: { free: () => void; gone: () => void },
  ) {
    const { file, heapMb } = options;
    // Empty environment: ours holds secrets.
    this.worker = new Worker(file, { env: {}, resourceLimits: { maxOldGenerationSizeMb: heapMb } });
    this.worker.on('message', (outcome: JobOutcome<Result>) => this.finished(outcome));
    this.worker.once('error', (error) => this.gone(error));
    this.worker.once('exit', (code) => this.gone(new Error(`a ${options.name} thread ended with ${code}`)));
  }

  get isFree(): boolean {
    return this.current === null && !this.isGone;
  }

  take(waiting: Waiting<Job, Result>): void {
    const { jobTimeoutMs, name } = this.options;
    this.current = waiting;
    this.worker.ref();
    this.after(jobTimeoutMs, () => this.gone(new Error(`a ${name} thread took over ${jobTimeoutMs} ms`)));
    this.worker.postMessage(waiting.job, waiting.transfer);
  }

  async end(): Promise<void> {
    this.isGone = true;
    clearTimeout(this.timer);
    await this.worker.terminate();
  }

  private finished(outcome: JobOutcome<Result>): void {
    const { current } = this;
    this.current = null;
    // An idle thread must not keep the process alive.
    this.worker.unref();
    this.after(this.options.idleMs, () => {
      void this.end();
      this.tell.gone();
    });
    current?.end(outcome);
    this.tell.free();
  }

  /** Reports the loss to the job's caller. */
  private gone(error: Error): void {
    if (this.isGone) return;
    log.error({ threads: this.options.name, ...errorFields(error) }, 'thread lost');
    void this.end();
    this.current?.end({ outcome: 'lost', error });
    this.tell.gone();
  }

  private after(ms: number, work: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(work, ms).unref();
  }
}

function notDone(cause: Error): Unreachable {
  return new Unreachable('service_unavailable', 'The service is overloaded. Try again in a moment.', cause);
}

/** Rebuilds an error that the job threw. */
function failureOf({ message, stack }: { message: string; stack: string | undefined }): Error {
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
