import type { IncomingHttpHeaders } from 'node:http';

/** Offizin gives a delivery 15 s; a receiver that takes longer has failed there, too. */
const TIMEOUT_MS = 15_000;
/** They belong to the connection to `listen`, not to the delivery. */
const OF_THE_CONNECTION = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

export interface ForwardedAnswer {
  /** For the answer to Offizin: the receiver's status, 502 when it gave none. */
  status: number;
  /** The receiver's, so that it slows Offizin down as it would without `listen` between. */
  retryAfter?: string;
  /** For people: the status, or the reason for its absence. */
  outcome: string;
}

/** Hands a delivery on with the bytes and headers that came, so that its signatures still fit. Never rejects. */
export async function forward(
  url: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Promise<ForwardedAnswer> {
  const entries = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.has(name));
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: entries.map(([name, value]): [string, string] => [name, String(value)]),
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body?.cancel();
    const retryAfter = answer.headers.get('retry-after') ?? undefined;
    return { status: answer.status, retryAfter, outcome: String(answer.status) };
  } catch (error) {
    return { status: 502, outcome: `no answer, ${reasonOf(error)}` };
  }
}

/** What fetch throws says only that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
}
