import { runHttp } from './http-load';
import type { Job } from './job';
import { runSql } from './sql-load';

/** The process that makes the load: takes a job, answers its result, and ends with its parent. */
process.on('message', (job: Job) => {
  run(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());

async function run(job: Job): Promise<unknown> {
  return job.kind === 'http' ? runHttp(job) : runSql(job);
}
