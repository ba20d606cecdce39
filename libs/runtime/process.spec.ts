import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listenOnLoopback } from '@offizin/testkit/loopback';
import { compiledFile } from '@offizin/testkit/programs';
import { endConnectionsAfterAnswers } from './process';
import { VERSION } from './version';

it('logs warnings and an uncaught exception as lines of JSON, and exits', () => {
  const require = `require(${JSON.stringify(compiledFile('libs/runtime/process.ts'))});`;
  const script = `${require} process.emitWarning('piles up', 'SpecWarning'); setTimeout(() => { throw Object.assign(new Error('spec'), { code: 'E_SPEC' }); });`;
  const env = { ...process.env, LOG_LEVEL: 'warn' };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', env });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 40, msg: 'warning of Node.js', error: { name: 'SpecWarning', message: 'piles up' } },
    {
      level: 60,
      msg: 'uncaught exception',
      error: {
        name: 'Error',
        message: 'spec',
        code: 'E_SPEC',
        stack: expect.stringContaining('Error: spec'),
      },
    },
  ]);
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
});

it('still answers, and closes each connection with its answer', async () => {
  const server = createServer((_request, response) => response.end('ok'));
  const socket = connect(await listenOnLoopback(server), '127.0.0.1');
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  const request = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
  socket.write(request);
  await once(socket, 'data');
  expect(received).toMatch(/connection: keep-alive/i);
  endConnectionsAfterAnswers(server);
  received = '';
  socket.write(request);
  await once(socket, 'close');
  expect(received).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(received).toMatch(/connection: close/i);
  server.close();
});

it('closes the connection of a request that was under way, also when its caller keeps it open', async () => {
  let answer = (): void => undefined;
  const server = createServer((_request, response) => (answer = () => response.end('ok')));
  server.keepAliveTimeout = 60_000;
  const socket = connect(await listenOnLoopback(server), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(server, 'request');
  endConnectionsAfterAnswers(server);
  const closed = once(server, 'close');
  server.close();
  answer();
  const [received] = (await once(socket, 'data')) as [Buffer];
  expect(received.toString()).toMatch(/^HTTP\/1\.1 200 OK/);
  await closed;
}, 10_000);

it('is the version of package.json', () => {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8')) as {
    version: string;
  };
  expect(VERSION).toBe(version);
});
