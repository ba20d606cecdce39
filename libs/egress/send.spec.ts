import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { eventually } from '@offizin/testkit/eventually';
import { SLOWNESS } from '@offizin/testkit/test-run';
import type { EgressFailure } from './failure';
import {
  closeReceivers,
  egressWith,
  failureKind,
  httpReceiver,
  LOCAL,
  post,
  rawReceiver,
} from './loopback-receiver';

afterEach(closeReceivers);

describe('an answer', () => {
  it('contains status, selected headers, body and duration', async () => {
    const receiver = await httpReceiver((_request, response) => {
      response.writeHead(503, { 'Retry-After': '17', 'Content-Type': 'text/plain', 'Set-Cookie': 'a=b' });
      response.end('busy');
    });
    const answer = await egressWith().send(post(receiver.url));
    expect(answer).toMatchObject({ status: 503, truncated: false });
    expect(answer.headers).toEqual({ 'retry-after': '17', 'content-type': 'text/plain' });
    expect(answer.body.toString()).toBe('busy');
    expect(answer.durationMs).toBeGreaterThanOrEqual(0);
  });

  it('follows an unchanged request: method, path, query, headers and body', async () => {
    const seen: { line: string; headers: IncomingMessage['headers']; body: string }[] = [];
    const receiver = await httpReceiver((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
        response.end();
      });
    });
    const url = `http://127.0.0.1:${receiver.port}/a%20b/ü?x=1&y=%2F#part`;
    const body = Buffer.from('{"name":"Müller"}');
    await egressWith().send(post(url, { body, headers: { 'X-Service-Event': 'order_created' } }));
    expect(seen[0]).toMatchObject({
      line: 'POST /a%20b/%C3%BC?x=1&y=%2F',
      body: body.toString(),
      headers: {
        'x-service-event': 'order_created',
        'content-length': String(body.length),
        'accept-encoding': 'identity',
        host: `127.0.0.1:${receiver.port}`,
      },
    });
  });

  it.each([200, 204, 400, 404, 410, 500])('with status %i is an answer, not a failure', async (status) => {
    const receiver = await httpReceiver((_request, response) => void response.writeHead(status).end());
    expect((await egressWith().send(post(receiver.url))).status).toBe(status);
  });

  it('is the final one after interim answers', async () => {
    const receiver = await httpReceiver((_request, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload', 'retry-after': '99' });
      response.end('final');
    });
    const answer = await egressWith().send(post(receiver.url));
    expect(answer).toMatchObject({ status: 200, body: Buffer.from('final') });
    expect(answer.headers).not.toHaveProperty('retry-after');
  });
});

describe('a large answer', () => {
  it('is never decompressed: a gzip bomb is a few capped bytes', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const receiver = await httpReceiver((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb);
    });
    const answer = await egressWith().send(post(receiver.url));
    expect(answer.truncated).toBe(true);
    expect(answer.body.equals(bomb.subarray(0, 1_024))).toBe(true);
  });

  it('is read up to the limit, then the connection is destroyed, not drained', async () => {
    let writtenBytes = 0;
    const receiver = await httpReceiver((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) writtenBytes += chunk.length;
      };
      response.on('drain', more);
      more();
    });
    const answer = await egressWith().send(post(receiver.url));
    expect(answer).toMatchObject({ status: 200, truncated: true });
    expect(answer.body.length).toBe(1_024);
    await eventually('the end of the connection', () => receiver.open.size === 0);
    expect(writtenBytes).toBeLessThan(32 * 1024 * 1024); // what the kernel's buffers took, not an endless body
  });

  it('of exactly the limit is complete, and its connection is reused', async () => {
    const receiver = await httpReceiver((_request, response) => response.end(Buffer.alloc(1_024)));
    const egress = egressWith({ ...LOCAL, maxConnectionsPerOrigin: 1 });
    for (let count = 0; count < 3; count += 1) {
      expect(await egress.send(post(receiver.url))).toMatchObject({ truncated: false });
    }
    expect(receiver.connections).toBe(1);
  });
});

describe('the deadline', () => {
  it('ends a request to a server that accepts and never answers', async () => {
    const receiver = await httpReceiver(() => undefined);
    const error = await egressWith()
      .send(post(receiver.url, { timeoutMs: 200 }))
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'timeout', name: 'EgressFailure' });
    expect((error as EgressFailure).durationMs).toBeGreaterThanOrEqual(195);
    expect((error as EgressFailure).durationMs).toBeLessThan(1_500 * SLOWNESS);
    await eventually('the end of the connection', () => receiver.open.size === 0);
  });

  it.each([
    ['its headers', 'HTTP/1.1 200 OK\r\nX-A: ', 'a'],
    ['its body', 'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n', 'a'],
    ['a body without length', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\na\r\n'],
    ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('is not moved by a server that drips %s', async (_what, start, drop) => {
    const receiver = await rawReceiver((socket) => {
      socket.write(start);
      const timer = setInterval(() => socket.write(drop), 20);
      socket.on('close', () => clearInterval(timer));
    });
    const startedAtMs = Date.now();
    expect(await failureKind(egressWith().send(post(receiver.url, { timeoutMs: 300 })))).toBe('timeout');
    expect(Date.now() - startedAtMs).toBeLessThan(1_500 * SLOWNESS);
    await eventually('the end of the connection', () => receiver.open.size === 0);
  });

  it('also covers the wait for a free connection; the request is never sent afterwards', async () => {
    const seen: string[] = [];
    const receiver = await httpReceiver((request, response) => {
      seen.push(request.url ?? '');
      setTimeout(() => response.end(), 400);
    });
    const egress = egressWith({ ...LOCAL, maxConnectionsPerOrigin: 1 });
    const first = egress.send(post(receiver.url));
    const second = egress.send(post(`${receiver.url}/second`, { timeoutMs: 100 }));
    expect(await failureKind(second)).toBe('timeout');
    expect((await first).status).toBe(200);
    await egress.send(post(`${receiver.url}/third`));
    expect(seen).toEqual(['/hook', '/hook/third']);
  });

  it("may be cut short by the caller; send rejects with the caller's reason", async () => {
    const receiver = await httpReceiver(() => undefined);
    const controller = new AbortController();
    const sent = egressWith().send(post(receiver.url, { signal: controller.signal }));
    await eventually('the connection', () => receiver.open.size === 1);
    const reason = new Error('lease lost');
    controller.abort(reason);
    await expect(sent).rejects.toBe(reason);
    await eventually('the end of the connection', () => receiver.open.size === 0);
  });
});

describe('connections', () => {
  it('are reused', async () => {
    const receiver = await httpReceiver((_request, response) => response.end('ok'));
    const egress = egressWith();
    for (let count = 0; count < 50; count += 1) await egress.send(post(receiver.url));
    expect(receiver.connections).toBe(1);
  });

  it('are renewed after a number of requests, so that a new address is found', async () => {
    const receiver = await httpReceiver((_request, response) => response.end('ok'));
    const egress = egressWith({ ...LOCAL, maxConnectionsPerOrigin: 1, maxRequestsPerConnection: 5 });
    for (let count = 0; count < 30; count += 1) {
      expect(await egress.send(post(receiver.url))).toMatchObject({ status: 200 });
    }
    expect(receiver.connections).toBeGreaterThanOrEqual(5);
    await eventually('the end of the others', () => receiver.open.size <= 1);
  });

  it('do not exceed the limit per origin', async () => {
    const receiver = await httpReceiver((_request, response) => void setTimeout(() => response.end(), 10));
    const egress = egressWith({ ...LOCAL, maxConnectionsPerOrigin: 3 });
    await Promise.all(Array.from({ length: 12 }, () => egress.send(post(receiver.url))));
    expect(receiver.connections).toBe(3);
  });

  it('end with close, which fails requests in flight and refuses new ones', async () => {
    const receiver = await httpReceiver(() => undefined);
    const egress = egressWith();
    const hanging = failureKind(egress.send(post(receiver.url)));
    await eventually('the connection', () => receiver.open.size === 1);
    expect(egress.pending).toBe(1);
    await egress.close();
    expect(await hanging).toBe('reset');
    expect(egress.pending).toBe(0);
    expect(await failureKind(egress.send(post(receiver.url)))).toBe('connect');
    await eventually('the end of the connection', () => receiver.open.size === 0);
  });
});

describe('headers', () => {
  it.each([
    ['X-A', 'a\r\nX-Injected: 1'],
    ['X-A', 'a\nb'],
    ['X-A', 'a\rb'],
    ['X-A', 'a\u0000b'],
    ['X-A', 'a\u0100'],
    ['X-A\r\nX-B', 'a'],
    ['X A', 'a'],
    ['', 'a'],
    ['Host', 'internal.example'],
    ['Content-Length', '5'],
    ['Transfer-Encoding', 'chunked'],
    ['connection', 'close'],
    ['Accept-Encoding', 'gzip'],
  ])('%j: %j is refused before anything is sent', async (name, value) => {
    const receiver = await httpReceiver((_request, response) => response.end());
    const sent = egressWith().send(post(receiver.url, { headers: { [name]: value } }));
    expect(await failureKind(sent)).toBe('refused_by_policy');
    expect(receiver.connections).toBe(0);
  });
});
