import { type ParserEvent, Parser } from 'nats/lib/nats-base-client/parser';
import { sizeSplitMessages } from './split-messages';

sizeSplitMessages();

/** What the client hears when these bytes come in pieces of so many. */
function heard(bytes: Buffer, pieceBytes: number): ParserEvent[] {
  const events: ParserEvent[] = [];
  const parser = new Parser({ push: (event) => void events.push(event) });
  for (let at = 0; at < bytes.length; at += pieceBytes) parser.parse(bytes.subarray(at, at + pieceBytes));
  return events;
}

function message(subject: string, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`MSG ${subject} 1 ${payload.length}\r\n`), payload, Buffer.from('\r\n')]);
}

describe('a message that comes in several reads', () => {
  const first = Buffer.alloc(70_000, 'abcdefg');
  const second = Buffer.alloc(30_001, '12345');
  const stream = Buffer.concat([message('one', first), message('two', second), Buffer.from('PING\r\n')]);

  it.each([1, 7, 4_096, 65_536, stream.length])('is whole, wherever it is cut: every %d bytes', (piece) => {
    const [one, two, ping, ...more] = heard(stream, piece);
    expect(first.equals(one?.data ?? Buffer.alloc(0))).toBe(true);
    expect(Buffer.from(one?.msg?.subject ?? []).toString()).toBe('one');
    expect(second.equals(two?.data ?? Buffer.alloc(0))).toBe(true);
    expect([ping?.kind, more]).toEqual([4, []]);
  });

  it('takes no more memory than it has bytes', () => {
    const [one] = heard(stream, 60_000);
    expect(one?.data?.buffer.byteLength).toBe(first.length);
  });
});
