import { CappedBody } from './exchange';

function collect(maxBytes: number, chunks: string[]): { text: string; truncated: boolean } {
  const body = new CappedBody(maxBytes);
  for (const chunk of chunks) body.add(Buffer.from(chunk));
  return { text: body.bytes().toString(), truncated: body.truncated };
}

describe('CappedBody', () => {
  it('stores the first bytes of a longer body and marks it as truncated', () => {
    expect(collect(4, ['abc', 'def'])).toEqual({ text: 'abcd', truncated: true });
    expect(collect(4, ['abcdef'])).toEqual({ text: 'abcd', truncated: true });
    expect(collect(0, ['a'])).toEqual({ text: '', truncated: true });
  });

  it('stores a million single bytes in little more than a million bytes', () => {
    const body = new CappedBody(1_000_000);
    const byte = Buffer.from('x');
    for (let count = 0; count < 1_000_000; count += 1) body.add(byte);
    const bytes = body.bytes();
    expect(bytes.length).toBe(1_000_000);
    expect(bytes.buffer.byteLength).toBeLessThanOrEqual(1_000_000);
  });
});
