import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { newSecret, signedHeaders } from './signature';

const DELIVERY = {
  deliveryId: '0190a6f0-7c1e-7b1a-9c55-6a3a0a9f1c11',
  eventType: 'order_created',
  body: '{"event":"order_created","name":"Müller"}',
};

function nowSeconds(): number {
  return Date.now() / 1_000;
}

function tampered(headers: Record<string, string>, changes: Record<string, string>): Record<string, string> {
  return { ...headers, ...changes };
}

describe('signedHeaders', () => {
  it('names the event, the delivery and the sender', () => {
    const headers = signedHeaders({
      ...DELIVERY,
      secrets: [newSecret()],
      plainSecret: newSecret(),
      nowSeconds: 1_700_000_000.9,
    });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Offizin-Webhooks/1',
      'X-Service-Event': 'order_created',
      'X-Service-Delivery-Id': DELIVERY.deliveryId,
      'webhook-id': DELIVERY.deliveryId,
      'webhook-timestamp': '1700000000',
    });
  });

  it('signs the raw body with the text of the previous secret while a rotation overlaps', () => {
    const [current, previous] = [newSecret(), newSecret()];
    const headers = signedHeaders({
      ...DELIVERY,
      secrets: [current, previous],
      plainSecret: previous,
      nowSeconds: nowSeconds(),
    });
    const expected = createHmac('sha256', previous).update(DELIVERY.body).digest('hex');
    expect(headers['X-Service-Signature']).toBe(`sha256=${expected}`);
  });

  it('matches a value computed with openssl', () => {
    // printf '{"a":1}' | openssl dgst -sha256 -hmac 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz'
    // printf 'd1.1700000000.{"a":1}' | openssl dgst -sha256 -hmac '012345678901234567890123' -binary | base64
    const headers = signedHeaders({
      deliveryId: 'd1',
      eventType: 'order_created',
      body: '{"a":1}',
      secrets: ['whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz'],
      plainSecret: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz',
      nowSeconds: 1_700_000_000,
    });
    expect(headers['X-Service-Signature']).toBe(
      'sha256=c7bf0d2b0ed8eda3e749506f50b175fbcecf633c4472d8d0052a54230f597e34',
    );
    expect(headers['webhook-signature']).toBe('v1,oeeGxAnr+DkCZxSYYEysv2DNhScawY9Vdow3enna/us=');
  });

  it('is accepted by the stock verification library, for text and for bytes', () => {
    const secret = newSecret();
    for (const body of [DELIVERY.body, Buffer.from(DELIVERY.body)]) {
      const headers = signedHeaders({
        ...DELIVERY,
        body,
        secrets: [secret],
        plainSecret: secret,
        nowSeconds: nowSeconds(),
      });
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(DELIVERY.body));
    }
  });

  it('is refused by the stock library when body, id, time or secret is another', () => {
    const secret = newSecret();
    const headers = signedHeaders({
      ...DELIVERY,
      secrets: [secret],
      plainSecret: secret,
      nowSeconds: nowSeconds(),
    });
    const verifier = new Webhook(secret);
    const laterTimestamp = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => verifier.verify(DELIVERY.body + ' ', headers)).toThrow();
    expect(() => verifier.verify(DELIVERY.body, tampered(headers, { 'webhook-id': 'other' }))).toThrow();
    expect(() =>
      verifier.verify(DELIVERY.body, tampered(headers, { 'webhook-timestamp': laterTimestamp })),
    ).toThrow();
    expect(() => new Webhook(newSecret()).verify(DELIVERY.body, headers)).toThrow();
  });

  it('is refused by the stock library as a replay when it is old', () => {
    const secret = newSecret();
    const headers = signedHeaders({
      ...DELIVERY,
      secrets: [secret],
      plainSecret: secret,
      nowSeconds: nowSeconds() - 3_600,
    });
    expect(() => new Webhook(secret).verify(DELIVERY.body, headers)).toThrow(/too old/);
  });

  it('is accepted with the old and with the new secret while a rotation overlaps', () => {
    const [current, previous] = [newSecret(), newSecret()];
    const headers = signedHeaders({
      ...DELIVERY,
      secrets: [current, previous],
      plainSecret: previous,
      nowSeconds: nowSeconds(),
    });
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    expect(new Webhook(current).verify(DELIVERY.body, headers)).toBeTruthy();
    expect(new Webhook(previous).verify(DELIVERY.body, headers)).toBeTruthy();
  });

  it.each(['', 'whsec_', 'whsec_c2hvcnQ=', 'plain-text-secret-without-a-prefix-at-all'])(
    'throws for %j instead of signing with a weak key',
    (secret) => {
      expect(() =>
        signedHeaders({ ...DELIVERY, secrets: [secret], plainSecret: secret, nowSeconds: nowSeconds() }),
      ).toThrow('whsec_');
    },
  );
});

describe('newSecret', () => {
  it('is whsec_ and 32 random bytes in base64', () => {
    const secret = newSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    expect(newSecret()).not.toBe(secret);
  });
});
