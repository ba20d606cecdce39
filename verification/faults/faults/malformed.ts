import { randomUUID } from 'node:crypto';

/** Bytes that no service of Offizin sends; all are valid messages for the broker. */
export interface Malformed {
  name: string;
  bytes: Buffer;
}

const DEEP_LEVELS = 200_000;
const LARGE_BYTES = 1_000_000;

/** Malformed bytes for any subject. */
export function malformedBytes(): Malformed[] {
  const deep = '['.repeat(DEEP_LEVELS) + ']'.repeat(DEEP_LEVELS);
  return [
    { name: 'a NUL', bytes: Buffer.from('\0') },
    { name: 'bad UTF-8', bytes: Buffer.from([0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x00]) },
    { name: 'one megabyte', bytes: Buffer.alloc(LARGE_BYTES, 'x') },
    { name: 'deep JSON', bytes: Buffer.from(`${deep}\n${deep}`) },
    { name: 'null', bytes: Buffer.from('null\nnull') },
    { name: 'a number', bytes: Buffer.from('1e999\n1') },
    { name: 'empty lines', bytes: Buffer.from('\n'.repeat(5_000)) },
    { name: 'a length beyond the end', bytes: Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0x7b]) },
  ];
}

/** Event messages that are nearly valid. */
export function malformedEvents(orgId: string): Malformed[] {
  const now = new Date().toISOString();
  const id = randomUUID();
  const sound = {
    id,
    orgId,
    eventType: 'order_updated',
    aggregateId: randomUUID(),
    sequence: 1,
    topic: 'stock',
  };
  const body = JSON.stringify({ id, created_at: now, metadata: {} });
  const changed: [name: string, envelope: object, body: string][] = [
    ['an id that is not a UUID', { id: 'x' }, body],
    ['no id', { id: undefined }, body],
    ['no organization', { orgId: null }, body],
    ['an organization that is a list', { orgId: [orgId] }, body],
    ['a sequence out of range', { sequence: 1e300 }, body],
    ['a NUL in a text', { aggregateId: 'a\0b' }, body],
    ['a trace context with a NUL', { id: randomUUID(), traceparent: 'a\0' }, '{}'],
    ['a time that does not exist', { id: randomUUID() }, '{"created_at":"+275760-09-12T00:00:00Z"}'],
    ['a body that is not JSON', { id: randomUUID() }, '\0'],
  ];
  return changed.map(([name, change, text]) => ({
    name,
    bytes: Buffer.from(`${JSON.stringify({ ...sound, ...change })}\n${text}`),
  }));
}
