import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { eventually } from '@offizin/testkit/eventually';
import { closeServer, listenOnLoopback } from '@offizin/testkit/loopback';
import { ConnectionDeadlines, resetConnection } from './connection-deadlines';

const UNREAD_MS = 1_000;
const KIB = 1024;
/** More than the systems of both sides hold. */
const LARGE = 'x'.repeat(24 * KIB * KIB);
let server: Server;
let accepted: Socket;
/** By its event: a socket is `closed` also when its descriptor stays open. */
let isClosed: boolean;
let caller: Socket;
let sending: NodeJS.Timeout | undefined;

async function start(answer: RequestListener, unreadMs = UNREAD_MS): Promise<void> {
  server = createServer({ keepAliveTimeout: 60_000 }, answer);
  new ConnectionDeadlines(server, { unreadMs });
  isClosed = false;
  server.on('connection', (socket: Socket) => {
    accepted = socket.once('close', () => (isClosed = true));
  });
  caller = connect(await listenOnLoopback(server), '127.0.0.1').pause();
  caller.on('error', () => undefined);
  await Promise.all([once(caller, 'connect'), once(server, 'connection')]);
}

afterEach(async () => {
  clearInterval(sending);
  caller.destroy();
  await closeServer(server);
});

function ask(headers = ''): void {
  caller.write(`GET / HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
}

const closed = (limitMs?: number): Promise<unknown> =>
  eventually('the connection to close', () => isClosed, limitMs);

describe('a caller that does not read', () => {
  it('loses its connection while it asks for small answers', async () => {
    await start((_, response) => response.end('x'.repeat(4 * KIB)));
    sending = setInterval(ask, 10);
    await closed();
    expect(accepted.bytesWritten).toBeLessThan(1_000 * KIB);
  });

  it('loses its connection while more of its answer waits in the process', async () => {
    await start((_, response) => {
      response.write(LARGE);
      sending = setInterval(() => response.write('x'), 10);
    });
    ask();
    await closed(10 * UNREAD_MS);
  });

  it('loses what was sent before its answer is broken off', async () => {
    await start((_, response) => {
      response.write('x'.repeat(1_000 * KIB));
      setTimeout(() => response.destroy(), 50);
    }, 60_000);
    ask();
    await closed(5_000);
    caller.resume();
    await once(caller, 'close');
    expect(caller.bytesRead).toBeLessThan(1_000 * KIB);
  });
});

it('a connection whose end is not yet sent can be reset', async () => {
  await start(() => undefined);
  accepted.end('x');
  resetConnection(accepted);
  await closed();
});

describe('a caller that reads', () => {
  it('keeps an idle connection, also after a large answer', async () => {
    await start((_, response) => response.end(LARGE));
    caller.resume();
    ask();
    await eventually('the answer', () => caller.bytesRead > LARGE.length);
    const answeredAtMs = performance.now();
    await eventually('three deadlines', () => performance.now() - answeredAtMs > 3 * UNREAD_MS);
    expect([accepted.destroyed, caller.readableEnded]).toEqual([false, false]);
  });

  it('and leaves, holds no descriptor', async () => {
    await start((_, response) => response.end('x'), 60_000);
    caller.resume();
    ask('Connection: close\r\n');
    await closed(5_000);
  });

  it('and leaves its side open, holds no descriptor', async () => {
    await start((_, response) => response.end('x'), 5 * UNREAD_MS);
    caller.allowHalfOpen = true;
    caller.resume();
    ask('Connection: close\r\n');
    await closed(3 * UNREAD_MS);
  });

  it('receives what was sent of an answer that is broken off', async () => {
    let response: ServerResponse | undefined;
    await start((_, given) => (response = given.writeHead(200)).write('half'));
    caller.setEncoding('utf8').resume();
    let received = '';
    caller.on('data', (text: string) => (received += text));
    ask();
    await eventually('the answer to begin', () => response !== undefined);
    response?.destroy();
    // With or without the error of a reset.
    await eventually('the end', () => caller.closed);
    expect(received).toMatch(/half/);
  });
});
