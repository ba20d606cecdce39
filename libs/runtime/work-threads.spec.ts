import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refused, Unreachable } from '@offizin/contracts/calls/errors';
import { eventually } from '@offizin/testkit/eventually';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { ownBytes } from './work-thread';
import { WorkThreads, type WorkThreadsOptions } from './work-threads';

/** The module of the threads, as plain JavaScript like the built one. */
const THREAD = `
const { parentPort, threadId } = require('node:worker_threads');
const done = (result, transfer) => parentPort.postMessage({ outcome: 'done', result }, transfer);
parentPort.on('message', (job) => {
  if (job.what === 'length') return done({ length: job.bytes.length, threadId });
  if (job.what === 'bytes') { const bytes = new Uint8Array(job.size).fill(7); return done({ bytes }, [bytes.buffer]); }
  if (job.what === 'environment') return done({ names: Object.keys(process.env) });
  if (job.what === 'wait') return void setTimeout(() => done({ threadId }), job.ms);
  if (job.what === 'refuse') return parentPort.postMessage({
    outcome: 'refused', refusal: { code: 'invalid_request', message: 'no', details: [{ field: 'body', message: 'no' }] } });
  if (job.what === 'fail') return parentPort.postMessage({ outcome: 'failed', message: 'a defect', stack: 'where' });
  if (job.what === 'die') throw new Error('killed by its job');
  if (job.what === 'exit') process.exit(3);
  if (job.what === 'fill') { const all = []; for (;;) all.push(new Array(1000).fill({})); }
  if (job.what === 'hang') for (;;);
});`;

type Job = { what: string; bytes?: Uint8Array; size?: number; ms?: number };
type Result = { length?: number; threadId?: number; bytes?: Uint8Array; names?: string[] };

const folder = mkdtempSync(join(tmpdir(), 'offizin-threads-'));
let threads: WorkThreads<Job, Result>;

beforeAll(() => writeFileSync(join(folder, 'thread.js'), THREAD));
afterEach(() => threads.stop());

function open(options: Partial<WorkThreadsOptions> = {}): void {
  threads = new WorkThreads({
    name: 'spec',
    file: join(folder, 'thread.js'),
    threads: 1,
    maxWaiting: 4,
    jobTimeoutMs: 20_000,
    idleMs: 60_000,
    heapMb: 32,
    ...options,
  });
}

const lost = expect.objectContaining({ name: 'Unreachable', code: 'service_unavailable' });

it('transfers bytes to the thread and back, without copies', async () => {
  open();
  const bytes = new Uint8Array(1_000_000);
  expect(await threads.run({ what: 'length', bytes }, [bytes.buffer])).toMatchObject({ length: 1_000_000 });
  expect(bytes.length).toBe(0);
  const { bytes: back } = await threads.run({ what: 'bytes', size: 500_000 }, []);
  expect([back?.length, back?.[499_999]]).toEqual([500_000, 7]);
});

it('copies only bytes in shared memory', () => {
  const pooled = Buffer.from('abc');
  expect(ownBytes(pooled).buffer).not.toBe(pooled.buffer);
  expect(Buffer.from(ownBytes(pooled)).toString()).toBe('abc');
  const own = Buffer.alloc(1_000_000);
  expect(ownBytes(own).buffer).toBe(own.buffer);
  const part = own.subarray(1);
  expect(ownBytes(part).buffer).not.toBe(own.buffer);
});

it('rethrows refusals and failures unchanged', async () => {
  open();
  const refusal = await threads.run({ what: 'refuse' }, []).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Refused);
  expect(refusal).toMatchObject({ code: 'invalid_request', details: [{ field: 'body', message: 'no' }] });
  const failure = await threads.run({ what: 'fail' }, []).catch((error: unknown) => error);
  expect(failure).not.toBeInstanceOf(Unreachable);
  expect(failure).toMatchObject({ message: 'a defect', stack: 'where' });
});

it.each(['die', 'exit', 'fill'])(
  'answers for a thread that its job ended (%s), and continues',
  async (what) => {
    open();
    const bad = threads.run({ what }, []).catch((error: unknown) => error);
    const behind = threads.run({ what: 'length', bytes: new Uint8Array(3) }, []);
    expect(await bad).toEqual(lost);
    expect(await behind).toMatchObject({ length: 3 });
  },
);

it('terminates a hanging thread', async () => {
  open({ jobTimeoutMs: 500 * SLOWNESS });
  await expect(threads.run({ what: 'hang' }, [])).rejects.toEqual(lost);
  // The same limit covers the start of the next thread, which a busy machine may miss at the first attempt.
  const next = () => threads.run({ what: 'length', bytes: new Uint8Array(3) }, []);
  expect(await eventually('a job of another thread', next)).toMatchObject({ length: 3 });
});

it('runs one job per thread, and limits the waiting jobs', async () => {
  open({ threads: 2, maxWaiting: 1 });
  const waits = [200, 200, 1].map((ms) => threads.run({ what: 'wait', ms }, []));
  await expect(threads.run({ what: 'wait', ms: 1 }, [])).rejects.toEqual(lost);
  const ids = (await Promise.all(waits)).map(({ threadId }) => threadId);
  expect(new Set(ids).size).toBe(2);
});

it('starts threads on demand, and ends idle ones', async () => {
  open({ idleMs: 1 });
  const first = await threads.run({ what: 'wait', ms: 0 }, []);
  const again = await eventually('another thread', async () => {
    const { threadId } = await threads.run({ what: 'wait', ms: 0 }, []);
    return threadId !== first.threadId && { threadId };
  });
  expect(again.threadId).toBeGreaterThan(first.threadId ?? 0);
});

it('does not pass the environment, which holds secrets, to threads', async () => {
  open();
  expect(await threads.run({ what: 'environment' }, [])).toEqual({ names: [] });
});

it('finishes accepted jobs before it stops', async () => {
  open();
  const works = [100, 1].map((ms) => threads.run({ what: 'wait', ms }, []));
  await threads.stop();
  expect(await Promise.all(works)).toHaveLength(2);
});
