import { runHttp } from './http-load';
import { serveJobs } from './load';

/** The process that makes load over HTTP. */
serveJobs(runHttp);
