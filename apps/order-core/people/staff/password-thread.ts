import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { hashSync, type Options, verifySync } from '@node-rs/argon2';
import { serveJobs } from '@offizin/runtime/work-thread';

export type PasswordJob =
  { kind: 'hash'; password: string; cost: Options } | { kind: 'verify'; stored: string; password: string };

/** The new hash, or whether the password matches. */
export type PasswordResult = string | boolean;

/** Entry point of the threads in password.ts. */
if (process.platform === 'linux') {
  // Linux has a priority per thread. The link ends with the id of the thread that reads it.
  setPriority(Number(basename(readlinkSync('/proc/thread-self'))), constants.priority.PRIORITY_BELOW_NORMAL);
}
serveJobs<PasswordJob, PasswordResult>((job) => {
  const result =
    job.kind === 'hash' ? hashSync(job.password, job.cost) : verifySync(job.stored, job.password);
  return { result, transfer: [] };
});
