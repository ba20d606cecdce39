import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** Ways of a hostile subscriber. Each gets the connection once the head of a request has arrived. */
export const HOSTILITIES = {
  hang: () => undefined,
  /** One byte of a head that never ends, every 100 ms. */
  drip: (socket) => every(socket, 100, () => socket.write('x')),
  reset: (socket) => void socket.resetAndDestroy(),
  'server error': (socket) => void socket.end(answer('500 Internal Server Error', '', 'no')),
  redirect: (socket) => void socket.end(answer('302 Found', 'location: http://127.0.0.1:9/internal\r\n', '')),
  'gzip bomb': (socket) => {
    const { head, body } = bomb();
    socket.write(head);
    socket.end(body);
  },
  /** An endless body, as fast as it is read. */
  'endless body': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const pour = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', pour);
    pour();
  },
  'endless head': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    every(socket, 10, () => socket.write(`x-${'a'.repeat(2_000)}: b\r\n`));
  },
} as const satisfies Record<string, (socket: Socket) => void>;
export type Hostility = keyof typeof HOSTILITIES;

const BOMB_BYTES = 64 * 1024 * 1024;
let madeBomb: { head: string; body: Buffer } | undefined;

/** A hostile subscriber; counts its requests. */
export class HostileReceiver {
  connections = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    readonly hostility: Hostility,
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(hostility: Hostility): Promise<HostileReceiver> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
    const receiver = new HostileReceiver(hostility, server, `http://127.0.0.1:${address.port}/`);
    server.on('connection', (socket) => receiver.take(socket));
    return receiver;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private take(socket: Socket): void {
    this.connections += 1;
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
    socket.once('data', () => HOSTILITIES[this.hostility](socket));
    socket.on('data', () => undefined);
  }
}

function every(socket: Socket, ms: number, work: () => void): void {
  const timer = setInterval(work, ms);
  socket.once('close', () => clearInterval(timer));
}

function answer(status: string, headers: string, body: string): string {
  return `HTTP/1.1 ${status}\r\n${headers}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
}

/** 64 MiB of zeros, compressed to 64 KiB. */
function bomb(): { head: string; body: Buffer } {
  if (!madeBomb) {
    const body = gzipSync(Buffer.alloc(BOMB_BYTES), { level: 9 });
    const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`;
    madeBomb = { head, body };
  }
  return madeBomb;
}
