import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The bytes of a request, so that a caller can send a part. */
export function requestBytes(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Buffer {
  const bytes = body === undefined ? '' : JSON.stringify(body);
  const all = body === undefined ? headers : { ...headers, ...jsonHeaders(bytes) };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${bytes}`);
}

function jsonHeaders(bytes: string): Record<string, string> {
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(bytes)) };
}

/** A connection that a caller can abandon at any point, unlike an HTTP client. */
export class LeavingCaller {
  private constructor(private readonly socket: Socket) {}

  static async connect(url: string): Promise<LeavingCaller> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return new LeavingCaller(socket);
  }

  async send(bytes: Buffer): Promise<void> {
    await new Promise((resolve) => this.socket.write(bytes, resolve));
  }

  /** Reads the first chunk only. */
  async firstPiece(): Promise<string> {
    const [piece] = (await once(this.socket, 'data')) as [Buffer];
    this.socket.pause();
    return piece.toString('latin1');
  }

  /** Reads on until the server closes the connection. */
  async rest(): Promise<string> {
    const pieces: string[] = [];
    this.socket.on('data', (piece: Buffer) => pieces.push(piece.toString('latin1')));
    this.socket.resume();
    if (!this.socket.closed) await once(this.socket, 'close');
    return pieces.join('');
  }

  leave(): void {
    this.socket.destroy();
  }

  /** Half-closes the connection. */
  end(): void {
    this.socket.end();
  }
}
