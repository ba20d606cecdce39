import { Pool } from 'undici';
import { type HttpJob, type HttpRequest, type LoadResult, UNIQUE, uniqueText } from './job';
import { paceOf } from './pace';
import { Tally } from './tally';

/** A caller waits this long for one answer. */
const ANSWER_LIMIT_MS = 20_000;

/** Sends requests over at most one kept-alive connection per caller, to each origin and from each address. */
export async function runHttp(job: HttpJob, ended?: AbortSignal): Promise<LoadResult> {
  const pools = new Map<string, Pool>();
  const requests = job.requests.map((request) => ({
    numbered: prepare(request),
    pool: poolFor(pools, request, job.callers),
  }));
  const pace = job.pace && paceOf(job.pace);
  const tally = new Tally(job, ended);
  const runCaller = async (): Promise<void> => {
    for (;;) {
      if (pace) await pace();
      if (tally.isOver) return;
      const place = tally.countSent();
      const request = requests[(job.firstIndex + place) % requests.length];
      if (!request) throw new Error('a job without requests');
      const numbered = request.numbered(job.firstNumber + place);
      const sentAtMs = performance.now();
      tally.add(await outcomeOf(request.pool, numbered), sentAtMs);
    }
  };
  await Promise.all(Array.from({ length: job.callers }, runCaller));
  await Promise.all(Array.from(pools.values(), (pool) => pool.close()));
  return tally.result();
}

function poolFor(pools: Map<string, Pool>, { origin, localAddress }: HttpRequest, connections: number): Pool {
  const key = `${origin} ${localAddress ?? ''}`;
  const limits = { headersTimeout: ANSWER_LIMIT_MS, bodyTimeout: ANSWER_LIMIT_MS };
  const pool = pools.get(key) ?? new Pool(origin, { connections, pipelining: 1, localAddress, ...limits });
  pools.set(key, pool);
  return pool;
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
