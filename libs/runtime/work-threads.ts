import { Worker } from 'node:worker_threads';
import { Refused, Unreachable } from '@offizin/contracts/errors';
import { errorFields, log } from './log';

/**
 * Threads for work that would hold up the event loop: each job goes to one thread, one at a time, and comes back as its
 * result. What the thread runs is a module of its own that calls `serveJobs` (work-thread.ts).
 *
 * Guarantees: every job ends, with a result, a refusal or `Unreachable`, also when its thread dies or hangs; no more
 * wait than `maxWaiting`; no thread is there before it is needed, nor long after.
 */
export interface WorkThreadsOptions {
  /** For the log. */
  name: string;
  /** The compiled module that each thread runs. */
  file: string;
  threads: number;
  /** Jobs that wait for a thread; one more is told to come again. */
  maxWaiting: number;
  /** A thread that needs longer for one job is ended. */
  jobTimeoutMs: number;
  /** A thread without work is ended after this long, and gives its memory back. */
  idleMs: number;
  /**
   * Heap of one thread. Jobs must be bounded to stay far below it: inside JSON.parse V8 ends the whole process over it,
   * not the thread (seen with 15 MB of empty arrays).
   */
  heapMb: number;
}

/** What a thread says of one job. */
export type JobOutcome<Result> =
  | { outcome: 'done'; result: Result }
  | { outcome: 'refused'; refusal: Pick<Refused, 'code' | 'message' | 'details'> }
  | { outcome: 'failed'; message: string; stack: string | undefined };

/** What becomes of a job: also nothing, when its thread is lost. */
type Ending<Result> = JobOutcome<Result> | { outcome: 'lost'; error: Error };

interface Waiting<Job, Result> {
  job: Job;
  /** Handed over, not copied: whoever gave the job has them no more. */
  transfer: ArrayBuffer[];
  end: (ending: Ending<Result>) => void;
}

export class WorkThreads<Job, Result> {
  private readonly waiting: Waiting<Job, Result>[] = [];
  private readonly threads = new Set<Thread<Job, Result>>();
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(private readonly options: WorkThreadsOptions) {}

  /** Throws `Refused` as the job did, or `Unreachable` when it was not done. */
  async run(job: Job, transfer: ArrayBuffer[]): Promise<Result> {
    if (this.waiting.length >= this.options.maxWaiting) throw notDone(new Error('too many are waiting'));
    const ended = new Promise<Ending<Result>>((end) => this.waiting.push({ job, transfer, end }));
    this.underWay.add(ended);
    this.next();
    const ending = await ended.finally(() => this.underWay.delete(ended));
    if (ending.outcome === 'done') return ending.result;
    if (ending.outcome === 'lost') throw notDone(ending.error);
    if (ending.outcome === 'failed') throw failureOf(ending);
    const { code, message, details } = ending.refusal;
    throw new Refused(code, message, details);
  }

  /** Waits for what was given before. */
  async stop(): Promise<void> {
    await Promise.all(this.underWay);
    await Promise.all([...this.threads].map((thread) => thread.end()));
  }

  /** Hands the oldest waiting job to a thread that is free, or to a new one. */
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
    // Nothing of the environment: it holds secrets that the work has no use for.
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
    // A thread that waits keeps no process from ending.
    this.worker.unref();
    this.after(this.options.idleMs, () => {
      void this.end();
      this.tell.gone();
    });
    current?.end(outcome);
    this.tell.free();
  }

  /** Its job is not lost without a word: whoever waits for it is told. */
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
  return new Unreachable(
    'service_unavailable',
    'The service has too much to do. Try again in a moment.',
    cause,
  );
}

/** A defect in the job itself, as if it had been thrown here. */
function failureOf({ message, stack }: { message: string; stack: string | undefined }): Error {
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
