import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { V8_FLAGS } from '@offizin/local-stack/apps';
import type { DocumentJob, HttpJob, Job, LoadResult, QueueJob, SqlJob } from './job';

type Answer = { result: LoadResult } | { error: string };
type Unnumbered<J> = Omit<J, 'kind' | 'firstNumber' | 'firstIndex'>;

/** The process that makes the load, as the benchmark sees it. One job at a time. Every method throws unless all succeeded. */
export class Load {
  private readonly child: ChildProcess;
  /** How far each list of requests was walked: a block continues where the last one stopped. */
  private readonly walked = new WeakMap<object, number>();

  constructor(private nextNumber: number) {
    // With the flags of the apps, so that they favour neither the product nor the raw limit.
    const options = { serialization: 'advanced', execArgv: V8_FLAGS } as const;
    this.child = fork(join(__dirname, 'load-process.js'), options);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** With `refusalsExpected`, 429 and 503 with Retry-After are accepted, too: an overloaded service answers so. */
  async http(job: Unnumbered<HttpJob>, refusalsExpected = false): Promise<LoadResult> {
    const accepted = refusalsExpected ? /^(2\d\d|429|503)$/ : /^2\d\d$/;
    return this.run(job.requests, { ...job, kind: 'http', ...this.place(job.requests) }, accepted);
  }

  async sql(job: Unnumbered<SqlJob>): Promise<LoadResult> {
    return this.run(job.values, { ...job, kind: 'sql', ...this.place(job.values) });
  }

  async queue(job: Unnumbered<QueueJob>): Promise<LoadResult> {
    return this.run(job.origins, { ...job, kind: 'queue', ...this.place(job.origins) });
  }

  async documents(job: Unnumbered<DocumentJob>): Promise<LoadResult> {
    return this.run(job, { ...job, kind: 'document', ...this.place(job) });
  }

  stop(): void {
    this.child.kill();
  }

  private place(list: object): { firstNumber: number; firstIndex: number } {
    return { firstNumber: this.nextNumber, firstIndex: this.walked.get(list) ?? 0 };
  }

  private async run(list: object, job: Job, accepted = /^(ok|2\d\d)$/): Promise<LoadResult> {
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
    const { statuses, successes, sent } = answer.result;
    this.nextNumber += sent;
    this.walked.set(list, job.firstIndex + sent);
    if (successes === 0 || !Object.keys(statuses).every((status) => accepted.test(status)))
      throw new Error(`not every answer is as expected: ${JSON.stringify(statuses)}`);
    return answer.result;
  }
}
