import { connect } from 'node:net';

const LIMIT_MS = 20_000;

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
