import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { V8_FLAGS } from '@offizin/local-stack/apps';
import type { DocumentJob, HttpJob, Job, LoadResult, PoolJob, QueueJob, SignJob, SqlJob } from './job';

type Answer = { result: LoadResult } | { error: string };
type Unnumbered<J> = Omit<J, 'kind' | 'firstNumber' | 'firstIndex'>;

/** The process that makes the load, as the benchmark sees it. One job at a time. */
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

  /** Throws when an answer is no success; with `refusalsExpected`, 429 and 503 are accepted, too. */
  async http(job: Unnumbered<HttpJob>, refusalsExpected = false): Promise<LoadResult> {
    const result = await this.run(job.requests, { ...job, kind: 'http', ...this.place(job.requests) });
    if (refusalsExpected) acceptRefusals(result);
    else refuseFailures(result);
    return result;
  }

  async sql(job: Unnumbered<SqlJob>): Promise<LoadResult> {
    return this.run(job.values, { ...job, kind: 'sql', ...this.place(job.values) });
  }

  async pool(job: Unnumbered<PoolJob>): Promise<LoadResult> {
    const result = await this.run(job.origins, { ...job, kind: 'pool', ...this.place(job.origins) });
    refuseFailures(result);
    return result;
  }

  async queue(job: Unnumbered<QueueJob>): Promise<LoadResult> {
    const result = await this.run(job.origins, { ...job, kind: 'queue', ...this.place(job.origins) });
    refuseFailures(result);
    return result;
  }

  async documents(job: Unnumbered<DocumentJob>): Promise<LoadResult> {
    return this.run(job, { ...job, kind: 'document', ...this.place(job) });
  }

  async sign(job: Unnumbered<SignJob>): Promise<LoadResult> {
    return this.run(job, { ...job, kind: 'sign', ...this.place(job) });
  }

  stop(): void {
    this.child.kill();
  }

  private place(list: object): { firstNumber: number; firstIndex: number } {
    return { firstNumber: this.nextNumber, firstIndex: this.walked.get(list) ?? 0 };
  }

  private async run(list: object, job: Job): Promise<LoadResult> {
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
    this.nextNumber += answer.result.sent;
    this.walked.set(list, job.firstIndex + answer.result.sent);
    return answer.result;
  }
}

function refuseFailures({ statuses, successes }: LoadResult): void {
  const answered = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  if (answered === successes && successes > 0) return;
  throw new Error(`not every answer was a success: ${JSON.stringify(statuses)}`);
}

/** 429 and 503 are answers of an overloaded service, if they have Retry-After. */
function acceptRefusals({ statuses, successes }: LoadResult): void {
  const others = Object.keys(statuses).filter((status) => !/^(2\d\d|429|503)$/.test(status));
  if (others.length === 0 && successes > 0) return;
  throw new Error(`neither a success nor a refusal with Retry-After: ${JSON.stringify(statuses)}`);
}
