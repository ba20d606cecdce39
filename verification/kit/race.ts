import { eventually } from './eventually';

interface Answer {
  /** Null without an answer. */
  status: number | null;
  body: object | string;
}

/** Longer than any race takes on a busy machine. */
const ANSWERED_WITHIN_MS = 60_000;

/** Starts all calls in one tick and repeats each until it is answered. A repeated call must be idempotent. */
export function race<A extends Answer>(
  count: number,
  send: (index: number) => Promise<A>,
  limitMs = ANSWERED_WITHIN_MS,
): Promise<A[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => untilAnswered(() => send(index), limitMs)));
}

/**
 * Repeats a call until its answer shows the outcome of the request, as the contract asks of callers. A busy machine
 * may answer some of 100 concurrent calls with 503.
 */
export async function untilAnswered<A extends Answer>(
  send: () => Promise<A>,
  limitMs = ANSWERED_WITHIN_MS,
): Promise<A> {
  return eventually(
    'an answer',
    async () => {
      const answer = await send();
      return answer.status === null || answer.status >= 500 || isInProgress(answer) ? null : answer;
    },
    limitMs,
  );
}

function isInProgress({ status, body }: Answer): boolean {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body);
  return status === 409 && text.includes('"idempotency_in_progress"');
}
