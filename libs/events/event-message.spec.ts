import { randomUUID } from 'node:crypto';
import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import { deadLetterOf, messageOf, readMessage } from './event-message';

const subject = 'events.plain.order-core';

function makeEvent(change: Partial<Record<keyof OutboxEvent, unknown>> = {}): OutboxEvent {
  const event = { id: randomUUID(), orgId: randomUUID(), eventType: 'order_updated', aggregateId: 'a' };
  return { ...event, sequence: 1, topic: 'plain', body: '{"a":"b\\u0000"}', ...change } as OutboxEvent;
}

function read(...pieces: (string | Uint8Array)[]) {
  return readMessage({ subject, data: Buffer.concat(pieces.map((piece) => Buffer.from(piece))) });
}

it('reads back what was written, each event with its own bytes', () => {
  const events = [makeEvent(), makeEvent({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` })];
  const parts = read(messageOf(events));
  expect(parts.map((part) => part.read)).toEqual(events.map((event) => ({ event })));
  expect(Buffer.concat(parts.map(({ content }) => Buffer.from(content))).toString()).toBe(
    events.map((event) => messageOf([event])).join(''),
  );
});

const DEEP = '['.repeat(500_000);

it.each<[string, string | Uint8Array]>([
  ['nothing', ''],
  ['a NUL', '\0'],
  ['a NUL in two lines', '\0\n\0'],
  ['bytes that are not text', Buffer.from([0xff, 0xfe, 0x0a, 0xc3, 0x28])],
  ['deep JSON', `${DEEP}\n{}`],
  ['deep JSON in a field', `{"id":${DEEP}${']'.repeat(500_000)}}\n{}`],
  ['null', 'null\n{}'],
  ['a text', '"events"\n{}'],
  ['a list', '[1]\n{}'],
  ['an envelope alone', JSON.stringify(makeEvent())],
  ['a megabyte of x', 'x'.repeat(1_000_000)],
  ['a million empty lines', '\n'.repeat(1_000_000)],
])('preserves the bytes of %s and does not throw', (_what, bytes) => {
  const parts = read(bytes);
  expect(parts.every((part) => 'reason' in part.read)).toBe(true);
  expect(parts.length).toBeLessThanOrEqual(1_000);
  const letters = parts.map((part) => deadLetterOf(part, 'spec'));
  expect(letters.map(({ content }) => Buffer.from(content).toString('latin1')).join('\n')).toBe(
    Buffer.from(bytes).toString('latin1'),
  );
});

it.each<[string, Partial<Record<keyof OutboxEvent, unknown>>]>([
  ['an id that is not a UUID', { id: 'x' }],
  ['an id that is an object', { id: {} }],
  ['no organization', { orgId: undefined }],
  ['an organization that is not a UUID', { orgId: 'acme' }],
  ['a NUL in the aggregate', { aggregateId: 'a\0b' }],
  ['an aggregate of a megabyte', { aggregateId: 'a'.repeat(1_000_000) }],
  ['a type that is a list', { eventType: ['order_updated'] }],
  ['a sequence beyond 32 bits', { sequence: 2 ** 40 }],
  ['a sequence that is a text', { sequence: '1' }],
  ['an unknown topic', { topic: 'other' }],
  ['a NUL in the body', { body: '\0' }],
])('rejects an event with %s and reads the others of the message', (_what, change) => {
  const [before, bad, after] = [makeEvent(), makeEvent(change), makeEvent()];
  const parts = read(messageOf([before, bad, after]));
  expect(parts.map((part) => 'event' in part.read)).toEqual([true, false, true]);
});

it('drops an invalid trace context', () => {
  for (const traceparent of ['x', 7, 'a\0', { a: 1 }]) {
    const [part] = read(messageOf([makeEvent({ traceparent })]));
    expect(part?.read).toEqual({ event: expect.not.objectContaining({ traceparent: expect.anything() }) });
  }
});

it('gives a repeated bad event the same id despite another trace context, and different events different ids', () => {
  const event = makeEvent({ sequence: 0.5 });
  const letterOf = (changed: object) => {
    const [part] = read(messageOf([{ ...event, ...changed }]));
    if (!part) throw new Error('a message has a part');
    return deadLetterOf(part, 'spec');
  };
  expect(letterOf({ traceparent: 'other' }).id).toBe(letterOf({}).id);
  expect(letterOf({}).eventId).toBe(event.id);
  expect(letterOf({ body: '{}' }).id).not.toBe(letterOf({}).id);
});

it.each([
  ['events.plain.order-core', 'order_created', true],
  ['events.plain.catalog', 'order_created', false],
  ['events.plain.webhook-worker', 'product_updated', false],
  ['events.plain.catalog', 'product_updated', true],
  ['events.plain.catalog', 'a_type_of_tomorrow', true],
  ['events.plain.catalog', 'audit_record', false],
  ['audit.catalog', 'audit_record', true],
  ['audit.catalog', 'order_created', false],
])('on %s, the type %s belongs to the publishing service: %p', (subject, eventType, isOwn) => {
  const id = '0197a000-0000-7000-8000-000000000001';
  const envelope = { id, orgId: id, eventType, aggregateId: 'a', sequence: 1, topic: 'plain' };
  const [part] = readMessage({ subject, data: Buffer.from(`${JSON.stringify(envelope)}\n{}`) });
  expect(part?.read).toMatchObject(
    isOwn ? { event: { id, eventType } } : { reason: 'an event of another service', eventId: id },
  );
});
