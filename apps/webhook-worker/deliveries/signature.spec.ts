import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { newSecret, signedHeaders } from './signature';

const DELIVERY = {
  deliveryId: '0190a6f0-7c1e-7b1a-9c55-6a3a0a9f1c11',
  eventType: 'order_created',
  body: '{"event":"order_created","name":"Müller"}',
};

/** Signed now with these secrets; the last one makes the plain signature. */
const signedNow = (secrets: [string, ...string[]], body: string | Buffer = DELIVERY.body) =>
  signedHeaders({
    ...DELIVERY,
    body,
    secrets,
    plainSecret: secrets.at(-1) ?? '',
    nowSeconds: Date.now() / 1_000,
  });

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
      expect(new Webhook(secret).verify(body, signedNow([secret], body))).toEqual(JSON.parse(DELIVERY.body));
    }
  });

  it('is refused by the stock library when body, id, time or secret is another', () => {
    const secret = newSecret();
    const headers = signedNow([secret]);
    const verifier = new Webhook(secret);
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => verifier.verify(DELIVERY.body + ' ', headers)).toThrow();
    for (const changed of [
      { ...headers, 'webhook-id': 'other' },
      { ...headers, 'webhook-timestamp': later },
    ])
      expect(() => verifier.verify(DELIVERY.body, changed)).toThrow();
    expect(() => new Webhook(newSecret()).verify(DELIVERY.body, headers)).toThrow();
  });

  it('is accepted with the old and the new secret while a rotation overlaps, plain with the old one', () => {
    const [current, previous] = [newSecret(), newSecret()];
    const headers = signedNow([current, previous]);
    const plain = createHmac('sha256', previous).update(DELIVERY.body).digest('hex');
    expect(headers['X-Service-Signature']).toBe(`sha256=${plain}`);
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    expect(new Webhook(current).verify(DELIVERY.body, headers)).toBeTruthy();
    expect(new Webhook(previous).verify(DELIVERY.body, headers)).toBeTruthy();
  });

  it.each(['', 'whsec_', 'whsec_c2hvcnQ=', 'plain-text-secret-without-a-prefix-at-all'])(
    'throws for %j instead of signing with a weak key',
    (secret) => {
      expect(() => signedNow([secret])).toThrow('whsec_');
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
