import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@offizin/testkit/eventually';
import { stateOfSession, Streams } from './streams';

describe('the session of a stream', () => {
  const watched = { role: 'clerk' as const, openedAtMs: 1_000, wasKnown: true };
  const fresh = { ...watched, wasKnown: false };

  it('lives while the directory has its record', () => {
    expect(stateOfSession(watched, { role: 'clerk' }, 1_000_000)).toBe('live');
    expect(stateOfSession(fresh, { role: 'clerk' }, 1_000_000)).toBe('live');
  });

  it('has ended when its record is gone', () => {
    expect(stateOfSession(watched, null, 1_001)).toBe('ended');
  });

  it('has changed when the role is another', () => {
    expect(stateOfSession(watched, { role: 'owner' }, 1_001)).toBe('changed');
  });

  it('is given time to arrive in the directory, and never said to have ended before', () => {
    expect(stateOfSession(fresh, null, 2_999)).toBe('live');
    expect(stateOfSession(fresh, null, 3_000)).toBe('unknown');
  });
});

const listener = { orgId: 'o1', staffId: 'p1', sessionId: 's1', role: 'clerk' as const };

it('a reader that does not read is disconnected, and leaves its place', async () => {
  const streams = new Streams(4);
  const server = createServer((_request, response) => void streams.add(listener, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const sending = request({ port, host: '127.0.0.1', agent: false });
    sending.on('error', () => undefined);
    const answer = new Promise<IncomingMessage>((resolve) => sending.once('response', resolve));
    sending.end();
    // It has no reader.
    (await answer).on('error', () => undefined).pause();
    expect(() => streams.requireSpace({ ...listener, sessionId: 's2' })).toThrow();
    const text = `: ${'x'.repeat(60 * 1024)}\n\n`;
    await eventually('the end of the stream', () => {
      for (const stream of streams.of('o1')) stream.write(text);
      return streams.all().length === 0;
    });
    expect(() => streams.requireSpace(listener)).not.toThrow();
    sending.destroy();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
