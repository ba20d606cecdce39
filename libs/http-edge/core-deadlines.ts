import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Core answers within this, or it counts as unreachable. Source: guarantees.md G10: the caller has its answer within a
 * second, and within five from a silent core; a little is left for the way to the caller. Waits in the edge count: they
 * last 4 s at most (2 s for memory, 2 s for a connection), so core always has 0.7 s.
 */
const CONNECT_TIMEOUT_MS = 800;
const ANSWER_TIMEOUT_MS = 4_700;

/** What the deadlines of a request to core depend on. */
export interface PassageTimes {
  /** When the body had ended, by performance.now(); null while it comes. */
  bodyEndedAtMs: number | null;
  /**
   * How long the call waited in this process. The caller may have sent its whole body before: its bytes lay in the socket.
   */
  waitedMs: number;
}

/** Calls `giveUp` when core takes no connection in time, or gives no answer in time after the end of the body. */
export function limitTime(
  upstream: ClientRequest,
  request: IncomingMessage,
  passage: PassageTimes,
  giveUp: () => void,
): void {
  const answerTimeoutMs = ANSWER_TIMEOUT_MS - passage.waitedMs;
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const wait = (timeoutMs: number, sinceMs = performance.now()): void => {
    stop();
    const own = setTimeout(
      // A loop that was blocked runs its timers first: core's answer may be waiting to be read.
      () => setImmediate(() => timer === own && giveUp()),
      sinceMs + timeoutMs - performance.now(),
    );
    timer = own;
  };
  const waitForAnswer = (): void => {
    if (passage.bodyEndedAtMs === null) stop();
    else wait(answerTimeoutMs, passage.bodyEndedAtMs);
  };
  let isConnected = false;
  const connected = (): void => {
    isConnected = true;
    waitForAnswer();
  };
  upstream.once('socket', (socket: Socket) => {
    if (!socket.connecting) return connected();
    wait(Math.min(CONNECT_TIMEOUT_MS, answerTimeoutMs));
    socket.once('connect', connected);
  });
  if (passage.bodyEndedAtMs === null)
    request.once('end', () => {
      passage.bodyEndedAtMs = performance.now();
      if (isConnected) waitForAnswer();
    });
  for (const event of ['response', 'close', 'error'] as const) upstream.once(event, stop);
}
