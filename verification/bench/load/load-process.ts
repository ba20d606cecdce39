import { runHttp } from '@offizin/testkit/load/http-load';
import { serveJobs } from '@offizin/testkit/load/load';
import { runDocuments } from './document-load';
import { runQueue } from './queue-load';
import type { BenchJob } from './raw-jobs';
import { runSql } from './sql-load';

/** The process that makes the load of the product and of its raw limits. */
serveJobs(async (job: BenchJob) => {
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
});
