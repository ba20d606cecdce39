import { createServer, type Server } from 'node:http';
import { TcpProxy } from '@offizin/local-stack/tcp-proxy';
import { eventually } from '@offizin/testkit/eventually';
import { call } from '@offizin/testkit/load/calls';
import { closeServer, listenOnLoopback } from '@offizin/testkit/loopback';

let server: Server;
let proxy: TcpProxy;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/dies') request.socket.destroy();
    request.on('data', () => undefined);
    request.on('end', () => response.end('answered'));
  });
  const port = await listenOnLoopback(server);
  // The first upstream accepts no connections: the proxy tries the next one.
  proxy = await TcpProxy.start(() => [1, port]);
  url = `http://127.0.0.1:${proxy.port}/`;
});
afterAll(async () => {
  await proxy.close();
  await closeServer(server);
});
beforeEach(() => proxy.become('pass'));

const get = (timeoutMs = 10_000) => call(url, { method: 'POST', body: 'x'.repeat(200_000), timeoutMs });

it('forwards on new and on kept-alive connections', async () => {
  for (const { status, body } of [await get(), await get()])
    expect([status, body]).toEqual([200, 'answered']);
});

it('drops everything during a hole, and delivers it afterwards', async () => {
  await get();
  await proxy.become('hole');
  const waiting = [get(), get(), get()];
  const early = await Promise.race([...waiting, get(300)]);
  expect(early).toMatchObject({ status: null, failure: 'no answer in 300 ms' });
  await proxy.become('pass');
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
});

it("breaks the caller's connection when its replica broke it", async () => {
  expect(await call(`${url}dies`, { method: 'GET' })).toMatchObject({ status: null });
});

it('resets and refuses', async () => {
  await proxy.become('reset');
  expect(await get()).toMatchObject({
    status: null,
    failure: expect.stringMatching(/ECONNRESET|hang up|EPIPE/),
  });
  await proxy.become('refuse');
  const refused = await eventually('a refusal', async () => {
    const answer = await get();
    return answer.failure?.includes('ECONNREFUSED') && answer;
  });
  expect(refused.status).toBeNull();
  await proxy.become('pass');
  await eventually('it passes again', async () => (await get()).status === 200);
});

it('delays answers', async () => {
  await proxy.become('reset');
  proxy.delayMs = 200;
  await proxy.become('pass');
  // The caller may notice only now that its kept-alive connections were reset.
  const answer = await eventually('an answer', async () => {
    const one = await get();
    return one.status === 200 && one;
  });
  proxy.delayMs = 0;
  expect(answer.status).toBe(200);
  expect(answer.durationMs).toBeGreaterThan(195);
});
