import { once } from 'node:events';
import { createServer } from 'node:net';
import { EgressFailure, EgressRefused, type FailureKind, failureOf } from './failure';
import { closeReceivers, failureKind, listen, LOCAL, post, rawReceiver } from './loopback-receiver';
import { Egress } from './send';

const egress = new Egress(LOCAL);
afterEach(closeReceivers);
afterAll(() => egress.close());

describe('a failure', () => {
  it('is "connect" when no server listens', async () => {
    const server = createServer();
    const { url } = await listen(server);
    server.close();
    await once(server, 'close');
    const error = await egress.send(post(url)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'connect', message: 'No connection could be made (ECONNREFUSED).' });
  });

  it.each<[string, FailureKind, string]>([
    ['nothing', 'reset', ''],
    ['half its headers', 'reset', 'HTTP/1.1 200 OK\r\nX-'],
    ['half its body', 'reset', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'],
    ['something else than HTTP', 'protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['an upgrade', 'protocol', 'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
    ['an interim 100', 'protocol', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'],
    ['two lengths', 'protocol', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['headers without end', 'protocol', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(20_000)}`],
  ])('of a server that sends %s and closes is %j', async (_what, kind, bytes) => {
    const receiver = await rawReceiver((socket) => socket.end(bytes));
    expect(await failureKind(egress.send(post(receiver.url)))).toBe(kind);
    expect(receiver.connections).toBe(1); // never sent a second time behind the caller's back
  });

  it('of one request does not affect the next one to the same receiver', async () => {
    let count = 0;
    const receiver = await rawReceiver((socket) => {
      count += 1;
      if (count % 2 === 1) socket.resetAndDestroy();
      else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
    expect(await failureKind(egress.send(post(receiver.url)))).toBe('reset');
    expect((await egress.send(post(receiver.url))).status).toBe(200);
  });
});

describe('failureOf', () => {
  it('preserves kind and class of a failure and adds the duration', () => {
    const refused = failureOf(new EgressRefused('no'), false, 12);
    expect(refused).toBeInstanceOf(EgressRefused);
    expect(refused).toMatchObject({ kind: 'refused_by_policy', message: 'no', durationMs: 12 });
    expect(failureOf(new EgressFailure('tls', 'x'), true, 7)).toMatchObject({ kind: 'tls', durationMs: 7 });
  });

  it('decides by the start of the request, not by the error code, whether the receiver may have acted', () => {
    const error = Object.assign(new Error('read ECONNRESET 10.1.2.3:443'), { code: 'ECONNRESET' });
    expect(failureOf(error, false, 0).kind).toBe('connect');
    expect(failureOf(error, true, 0).kind).toBe('reset');
  });

  it('never shows the message of a system error, which contains an address', () => {
    const error = Object.assign(new Error('connect EHOSTUNREACH 10.1.2.3:443'), { code: 'EHOSTUNREACH' });
    expect(failureOf(error, false, 0).message).toBe('No connection could be made (EHOSTUNREACH).');
  });
});
