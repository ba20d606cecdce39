import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Deadlines after which core counts as unreachable; they include waits in the edge. Source: guarantees.md G10. */
const CONNECT_TIMEOUT_MS = 800;
const ANSWER_TIMEOUT_MS = 4_700;

export interface PassageTimes {
  /** By performance.now(); null while the body is incomplete. */
  bodyEndedAtMs: number | null;
  /** The body may have been complete in the socket before this wait in the process. */
  waitedMs: number;
}

/** Calls `giveUp` when core does not connect, or not answer the complete body, in time. */
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
      // After a blocked event loop timers run before I/O: core's answer may be waiting to be read.
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
