import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { V8_FLAGS } from '@offizin/local-stack/apps';
import type { HttpJob, Job, LoadResult } from './job';

/** Both sides of a load process: the measuring process has a `Load`, the load process calls `serveJobs`. */
type Answer = { result: LoadResult } | { error: string };
type Unplaced<J extends Job> = Omit<J, 'firstNumber' | 'firstIndex'>;

const END = 'end';
const SUCCESS = /^(ok|2\d\d)$/;

/** One job at a time. */
export class Load {
  private readonly child: ChildProcess;
  /** How far each list was walked: a block continues where the last one stopped. */
  private readonly walked = new WeakMap<object, number>();
  /** Microseconds: no second run begins with numbers of the one before. */
  private nextNumber = Date.now() * 1_000;

  constructor(file = join(__dirname, 'load-process.js')) {
    // With the flags of the apps, so that they favour neither the product nor the raw limit.
    const options = { serialization: 'advanced', execArgv: V8_FLAGS } as const;
    this.child = fork(file, options);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async http(job: Omit<Unplaced<HttpJob>, 'kind'>, accepted: RegExp | null = SUCCESS): Promise<LoadResult> {
    return this.run<HttpJob>({ ...job, kind: 'http' }, job.requests, accepted);
  }

  /** `list` is what the job walks. Throws unless there are successes and all statuses are accepted; null accepts any. */
  async run<J extends Job>(
    job: Unplaced<J>,
    list: object,
    accepted: RegExp | null = SUCCESS,
  ): Promise<LoadResult> {
    const firstIndex = this.walked.get(list) ?? 0;
    const result = await this.answerTo({ ...job, firstNumber: this.nextNumber, firstIndex });
    this.nextNumber += result.sent;
    this.walked.set(list, firstIndex + result.sent);
    const isExpected = (status: string): boolean => accepted === null || accepted.test(status);
    const isMissing = accepted !== null && result.successes === 0;
    if (isMissing || !Object.keys(result.statuses).every(isExpected))
      throw new Error(`not every answer is as expected: ${JSON.stringify(result.statuses)}`);
    return result;
  }

  /** Ends the running job: its result is that of the requests until now. */
  end(): void {
    this.child.send(END);
  }

  stop(): void {
    this.child.kill();
  }

  private async answerTo(job: object): Promise<LoadResult> {
    const answer = await new Promise<Answer>((resolve, reject) => {
      const onExit = (): void => reject(new Error('the load process ended'));
      this.child.once('exit', onExit);
      this.child.once('message', (message) => {
        this.child.off('exit', onExit);
        resolve(message as Answer);
      });
      this.child.send(job);
    });
    if ('error' in answer) throw new Error(answer.error);
    return answer.result;
  }
}

/** Takes jobs, answers their results, and ends with its parent. */
export function serveJobs<J extends Job>(run: (job: J, ended: AbortSignal) => Promise<LoadResult>): void {
  let ending = new AbortController();
  process.on('message', (message: J | typeof END) => {
    if (message === END) return ending.abort();
    ending = new AbortController();
    run(message, ending.signal).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
}
