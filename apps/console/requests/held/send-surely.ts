import { ApiError } from '../../calls/api';

/** Clock, lock and messages of sending. A spec gives its own. */
export interface SendHooks {
  nowMs: () => number;
  wait: (ms: number) => Promise<void>;
  /** Resolves when the screen is open: then the person who decided is signed in. */
  whenUnlocked: () => Promise<void>;
  /** The session has ended: the screen locks. */
  onEnded: () => void;
  /** The server is unreachable, and it is going to be tried again. */
  onAway: () => void;
}

/** A server that restarts is back by then; the person must not wait longer for the truth. */
const REPEAT_FOR_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** What was decided longer ago is looked at again before it is sent. */
const STALE_AFTER_MS = 10 * 60_000;

/** The session ended after the decision, and the person came back too late. */
export class StaleDecision extends Error {
  override readonly name = 'StaleDecision';
}

/**
 * Sends until the server has answered. `send` bears an idempotency key, so a repeat changes nothing twice. An
 * unreachable server is asked again for a minute; an ended session waits for the same person. Throws the refusal, the
 * last failure, or StaleDecision.
 */
export async function sendSurely<Reply>(send: () => Promise<Reply>, hooks: SendHooks): Promise<Reply> {
  const decidedAtMs = hooks.nowMs();
  let awaySinceMs: number | null = null;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    await hooks.whenUnlocked();
    if (hooks.nowMs() - decidedAtMs > STALE_AFTER_MS) throw new StaleDecision();
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401) {
        hooks.onEnded();
        continue;
      }
      awaySinceMs ??= hooks.nowMs();
      if (!isAway(error) || hooks.nowMs() - awaySinceMs >= REPEAT_FOR_MS) throw error;
      hooks.onAway();
      await hooks.wait(pauseMs * (0.5 + Math.random()));
    }
  }
}

function isAway({ status }: ApiError): boolean {
  return status === 0 || (status >= 502 && status <= 504);
}
