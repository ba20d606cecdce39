import { runDocuments } from './document-load';
import { runHttp } from './http-load';
import type { Job, LoadResult } from './job';
import { runQueue } from './queue-load';
import { runSql } from './sql-load';

/** The process that makes the load: takes a job, answers its result, and ends with its parent. */
process.on('message', (job: Job) => {
  run(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());

async function run(job: Job): Promise<LoadResult> {
  switch (job.kind) {
    case 'http':
      return runHttp(job);
    case 'sql':
      return runSql(job);
    case 'queue':
      return runQueue(job);
    case 'document':
      return runDocuments(job);
  }
}
