import { Pool } from 'undici';
import { type HttpJob, type HttpRequest, type LoadResult, UNIQUE, uniqueText } from './job';
import { Tally } from './tally';

/** A caller waits this long for one answer. */
const ANSWER_LIMIT_MS = 20_000;

/** Sends requests over one kept-alive connection per caller. */
export async function runHttp(job: HttpJob): Promise<LoadResult> {
  const requests = job.requests.map(prepare);
  const tally = new Tally(job);
  const startedAtMs = performance.now();
  const runCaller = async (pool: Pool): Promise<void> => {
    while (!tally.isOver) {
      const place = tally.countSent();
      const request = requests[(job.firstIndex + place) % requests.length];
      if (!request) throw new Error('a job without requests');
      const numbered = request(job.firstNumber + place);
      if (job.perSecond !== undefined) await until(startedAtMs + (place * 1000) / job.perSecond);
      const sentAtMs = performance.now();
      tally.add(await outcomeOf(pool, numbered), sentAtMs);
    }
  };
  const pools = job.ports.map((port) => {
    const limits = { headersTimeout: ANSWER_LIMIT_MS, bodyTimeout: ANSWER_LIMIT_MS };
    return new Pool(`http://127.0.0.1:${port}`, { connections: job.callers, pipelining: 1, ...limits });
  });
  const callers = Array.from({ length: job.callers }, async (_, caller) => {
    const pool = pools[caller % pools.length];
    if (pool) await runCaller(pool);
  });
  await Promise.all(callers);
  await Promise.all(pools.map((pool) => pool.close()));
  return tally.result();
}

interface NumberedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | null;
}

/** Fills in the number. The bytes after its last place are copied as they are: a document has megabytes of them. */
function prepare({ method, path, headers = {}, body = '' }: HttpRequest): (n: number) => NumberedRequest {
  const tailAt = body.includes(UNIQUE) ? body.lastIndexOf(UNIQUE) + UNIQUE.length : 0;
  const [head, tail] = [body.slice(0, tailAt), Buffer.from(body.slice(tailAt))];
  return (n) => {
    const numbered = (text: string): string => text.replaceAll(UNIQUE, uniqueText(n));
    const fields = Object.entries(headers).map(([name, value]) => [name, numbered(value)]);
    return {
      method,
      path: numbered(path),
      headers: Object.fromEntries(fields) as Record<string, string>,
      body: body === '' ? null : Buffer.concat([Buffer.from(numbered(head)), tail]),
    };
  };
}

/** The status, or `error` without an answer. A 429 or 503 without Retry-After is a separate outcome. */
async function outcomeOf(pool: Pool, request: NumberedRequest): Promise<string> {
  try {
    const { statusCode, headers, body } = await pool.request(request);
    await body.dump({ limit: Infinity });
    const isBare = (statusCode === 429 || statusCode === 503) && headers['retry-after'] === undefined;
    return isBare ? `${statusCode} without Retry-After` : String(statusCode);
  } catch {
    return 'error';
  }
}

async function until(timeMs: number): Promise<void> {
  const waitMs = timeMs - performance.now();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
}
