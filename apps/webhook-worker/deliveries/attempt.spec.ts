import { createServer, type IncomingHttpHeaders } from 'node:http';
import { Egress } from '@offizin/egress/send';
import { closeServer, listenOnLoopback } from '@offizin/testkit/loopback';
import { attemptDelivery, storableText } from './attempt';
import { newSecret } from './signature';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

describe.each([-DAY_MS, DAY_MS])('an attempt by a clock that differs by %i ms from the database', (offMs) => {
  const databaseMs = (): number => Date.now() + offMs;
  const delivery = {
    id: 'd',
    subscription_id: 's',
    event_id: 'e',
    org_id: 'o',
    event_type: 'order_updated' as const,
    body: '{}',
    attempt_count: 0,
    traceparent: null,
    revision: 1,
    previous_secret_signs: false,
    rate_per_second: null,
    failing: false,
    failing_too_long: false,
    integration_id: null,
    shop_id: null,
  };

  it.each([
    ['of a subscription', null, 'Anna M.'],
    ['of a callback, without the answer,', 'i', null],
  ])('%s is signed, stored and retried by the time of the database', async (_, integration_id, answer) => {
    let headers: IncomingHttpHeaders = {};
    const retryAfter = new Date(databaseMs() + MINUTE_MS).toUTCString();
    const receiver = createServer((request, response) => {
      ({ headers } = request);
      response.writeHead(503, { 'retry-after': retryAfter }).end('Anna M.');
    });
    const egress = new Egress({ allowHttp: true, allowLoopback: true });
    try {
      const url = `http://127.0.0.1:${await listenOnLoopback(receiver)}/`;
      const { result } = await attemptDelivery(
        egress,
        { ...delivery, integration_id, leased_at_ms: databaseMs() },
        { revision: 1, url, secret: newSecret(), previousSecret: null },
        { leaseToken: 'l', timeoutMs: 5_000, leasedAtMs: performance.now() },
      );
      expect(result.answer).toBe(answer);
      const signedAtMs = Number(headers['webhook-timestamp']) * 1000;
      for (const timeMs of [signedAtMs, result.startedAt.getTime()])
        expect(Math.abs(timeMs - databaseMs())).toBeLessThan(10_000);
      expect(Math.abs(result.waitMs - MINUTE_MS)).toBeLessThan(10_000);
    } finally {
      await egress.close();
      await closeServer(receiver);
    }
  });
});

describe('storableText', () => {
  it('keeps the first KiB', () => {
    expect(storableText(Buffer.alloc(5_000, 'a'))).toBe('a'.repeat(1_024));
  });

  it('replaces bytes that the database would refuse', () => {
    expect(storableText(Buffer.from([0x61, 0x00, 0x62]))).toBe('a\ufffdb');
    expect(storableText(Buffer.from([0xff, 0x61]))).toBe('\ufffda');
    expect(storableText(Buffer.concat([Buffer.alloc(1_023, 'a'), Buffer.from('é')])).isWellFormed()).toBe(
      true,
    );
  });
});
