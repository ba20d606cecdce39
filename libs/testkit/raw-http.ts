import { connect } from 'node:net';

/** A raw request, for bytes that no HTTP client would send. */
export interface RawRequest {
  /** Request line and headers, without the empty line. */
  head: string[];
  /** Sent chunk by chunk, until it ends or the answer arrives. */
  body?: Iterable<Buffer>;
}

export interface RawAnswer {
  status: number;
  head: string;
  body: string;
  /** Bytes of the body written before the answer arrived. */
  sentBytes: number;
  durationMs: number;
}

const LIMIT_MS = 20_000;

/** Resolves with the first answer, even if the server closes during the body. */
export async function rawHttp(url: string, request: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = '';
    let sentBytes = 0;
    let answered = false;
    const finish = (): void => {
      socket.destroy();
      const end = received.indexOf('\r\n\r\n');
      const head = received.slice(0, end);
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
      if (end < 0 || !status) reject(new Error(`no answer: ${received.slice(0, 200)}`));
      else
        resolve({
          status,
          head,
          body: received.slice(end + 4),
          sentBytes,
          durationMs: performance.now() - startedAt,
        });
    };
    socket.setTimeout(LIMIT_MS, finish);
    socket.on('error', finish);
    socket.on('close', finish);
    socket.on('data', (chunk) => {
      answered = true;
      received += chunk.toString('latin1');
      if (isComplete(received)) finish();
    });
    const pieces = (request.body ?? [])[Symbol.iterator]();
    const sendMore = (): void => {
      while (!answered && !socket.destroyed) {
        const piece = pieces.next();
        if (piece.done) return;
        sentBytes += piece.value.length;
        if (!socket.write(piece.value)) {
          socket.once('drain', sendMore);
          return;
        }
      }
    };
    socket.write(`${request.head.join('\r\n')}\r\n\r\n`);
    sendMore();
  });
}

function isComplete(received: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, Math.max(end, 0)))?.[1];
  return end >= 0 && length !== undefined && received.length >= end + 4 + Number(length);
}
