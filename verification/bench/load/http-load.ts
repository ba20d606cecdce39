import { connect } from 'node:net';
import { type HttpJob, type HttpRequest, type LoadResult, UNIQUE, uniqueText } from './job';
import { Tally } from './tally';

/** A caller waits this long for one answer. */
const ANSWER_LIMIT_MS = 20_000;

/**
 * Sends requests over one kept-alive connection per caller, on bare sockets: a client library needs several times the
 * CPU, which on a small machine is taken from the measured processes.
 */
export async function runHttp(job: HttpJob): Promise<LoadResult> {
  const requests = job.requests.map(prepare);
  const tally = new Tally(job);
  const startedAtMs = performance.now();
  const next = (): NextRequest => {
    const place = tally.countSent();
    const request = requests[(job.firstIndex + place) % requests.length];
    if (!request) throw new Error('a job without requests');
    const dueAtMs = job.perSecond === undefined ? 0 : startedAtMs + (place * 1000) / job.perSecond;
    return { parts: bytesOf(request, job.firstNumber + place), dueAtMs };
  };
  await Promise.all(
    Array.from({ length: job.callers }, async (_, caller) =>
      runCaller(job.ports[caller % job.ports.length] ?? 0, next, tally),
    ),
  );
  return tally.result();
}

interface NextRequest {
  parts: Buffer[];
  /** By performance.now(); 0 for at once. */
  dueAtMs: number;
}

interface PreparedRequest {
  /** May contain numbers to fill in; copied for each request. */
  head: Buffer;
  holes: number[];
  /** Sent as it is. */
  tail: Buffer;
}

function prepare({ method, path, headers = {}, body = '' }: HttpRequest): PreparedRequest {
  const bodyBytes = Buffer.from(body);
  const fields = { host: '127.0.0.1', 'content-length': String(bodyBytes.length), ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytes = Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`),
    bodyBytes,
  ]);
  const holes: number[] = [];
  for (let at = bytes.indexOf(UNIQUE); at !== -1; at = bytes.indexOf(UNIQUE, at + 1)) holes.push(at);
  const end = (holes.at(-1) ?? -UNIQUE.length) + UNIQUE.length;
  return { head: bytes.subarray(0, end), holes, tail: bytes.subarray(end) };
}

function bytesOf({ head, holes, tail }: PreparedRequest, number: number): Buffer[] {
  if (holes.length === 0) return [tail];
  const filled = Buffer.from(head);
  for (const hole of holes) filled.write(uniqueText(number), hole, 'latin1');
  return tail.length < 4_096 ? [Buffer.concat([filled, tail])] : [filled, tail];
}

/** One caller: the next request when the answer to the one before is complete. Resolves when the block is over. */
async function runCaller(port: number, next: () => NextRequest, tally: Tally): Promise<void> {
  while (!tally.isOver) {
    await new Promise<void>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      const answers = new AnswerReader();
      let startedAtMs = performance.now();
      let waiting = true;
      const write = (parts: Buffer[]): void => {
        startedAtMs = performance.now();
        for (const part of parts) socket.write(part);
      };
      const send = (): void => {
        const { parts, dueAtMs } = next();
        waiting = true;
        const waitMs = dueAtMs - performance.now();
        if (waitMs > 0) setTimeout(() => write(parts), waitMs);
        else write(parts);
      };
      socket.setTimeout(ANSWER_LIMIT_MS, () => socket.destroy());
      socket.once('connect', send);
      socket.on('data', (chunk: Buffer) => {
        if (!answers.take(chunk)) return;
        waiting = false;
        tally.add(answers.outcome, startedAtMs);
        if (tally.isOver || answers.closes) socket.destroy();
        else send();
      });
      socket.on('error', () => undefined);
      socket.once('close', () => {
        if (waiting) tally.add('error', startedAtMs);
        resolve();
      });
    });
  }
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** Reads answers of one connection, one at a time; only what is needed to know where one ends. */
export class AnswerReader {
  status = 0;
  closes = false;
  private saysWhenToComeAgain = false;
  private head: Buffer = Buffer.alloc(0);
  private missingBytes = 0;
  private state: 'head' | 'counted' | 'chunked' = 'head';
  private lastBytes: Buffer = Buffer.alloc(0);

  /** The status; a 429 or 503 without Retry-After is a separate outcome. */
  get outcome(): string {
    const isBare = (this.status === 429 || this.status === 503) && !this.saysWhenToComeAgain;
    return isBare ? `${this.status} without Retry-After` : String(this.status);
  }

  /** True when an answer is complete with these bytes. */
  take(chunk: Buffer): boolean {
    if (this.state === 'counted') return this.count(chunk.length);
    if (this.state === 'chunked') return this.endsWithLastChunk(chunk);
    this.head = this.head.length === 0 ? chunk : Buffer.concat([this.head, chunk]);
    const end = this.head.indexOf(HEAD_END);
    if (end === -1) return false;
    const text = this.head.toString('latin1', 0, end).toLowerCase();
    const body = this.head.subarray(end + HEAD_END.length);
    this.head = Buffer.alloc(0);
    this.status = Number(text.slice(9, 12));
    this.closes = text.includes('\r\nconnection: close');
    this.saysWhenToComeAgain = text.includes('\r\nretry-after: ');
    if (text.includes('\r\ntransfer-encoding: chunked')) {
      this.state = 'chunked';
      this.lastBytes = Buffer.alloc(0);
      return this.endsWithLastChunk(body);
    }
    this.missingBytes = Number(/\r\ncontent-length: (\d+)/.exec(text)?.[1] ?? 0);
    this.state = 'counted';
    return this.count(body.length);
  }

  private count(length: number): boolean {
    this.missingBytes -= length;
    if (this.missingBytes > 0) return false;
    this.state = 'head';
    return true;
  }

  private endsWithLastChunk(chunk: Buffer): boolean {
    this.lastBytes = Buffer.concat([this.lastBytes, chunk]).subarray(-LAST_CHUNK.length);
    if (!this.lastBytes.equals(LAST_CHUNK)) return false;
    this.state = 'head';
    return true;
  }
}
