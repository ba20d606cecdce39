import { parentPort } from 'node:worker_threads';
import { Refused } from '@offizin/contracts/calls/errors';
import type { JobOutcome } from './work-threads';

/** A job's result, and its buffers that are transferred instead of copied. */
export interface JobResult<Result> {
  result: Result;
  transfer: ArrayBuffer[];
}

/** The thread's side of WorkThreads: runs jobs one by one and reports each outcome. */
export function serveJobs<Job, Result>(work: (job: Job) => JobResult<Result>): void {
  const port = parentPort;
  if (!port) throw new Error('This module runs in a thread.');
  const answer = (outcome: JobOutcome<Result>, transfer: ArrayBuffer[] = []): void =>
    port.postMessage(outcome, transfer);
  port.on('message', (job: Job) => {
    try {
      const { result, transfer } = work(job);
      answer({ outcome: 'done', result }, transfer);
    } catch (error) {
      if (error instanceof Refused) {
        const { code, message, details } = error;
        answer({ outcome: 'refused', refusal: { code, message, details } });
        return;
      }
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      answer({ outcome: 'failed', message, stack });
    }
  });
}

/** Bytes that own their whole ArrayBuffer and can be transferred; a view on a shared pool is copied. */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) return new Uint8Array(buffer);
  return new Uint8Array(bytes);
}
