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

export interface ParsedAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** All bytes that the server answers until it closes; rejects if the connection stays open. */
export function untilEnd(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = '';
    const limit = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection stays open after: ${received.slice(0, 300)}`));
    }, LIMIT_MS);
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => (received += text));
    // A reset after the answer counts as an end.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(limit);
      resolve(received);
    });
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  });
}

/** Parses consecutive answers; throws at other bytes. */
export function parseAnswers(received: string): ParsedAnswer[] {
  const answers: ParsedAnswer[] = [];
  let rest = received;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const [line = '', ...lines] = rest.slice(0, Math.max(end, 0)).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]);
    const headers = Object.fromEntries(
      lines.map((header) => {
        const colon = header.indexOf(':');
        return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
      }),
    );
    const length = Number(headers['content-length']);
    const bodyAt = end + 4;
    if (!status || Number.isNaN(length) || rest.length < bodyAt + length)
      throw new Error(`not an answer: ${rest.slice(0, 300)}`);
    answers.push({ status, headers, body: rest.slice(bodyAt, bodyAt + length) });
    rest = rest.slice(bodyAt + length);
  }
  return answers;
}
