import { storableText } from './attempt';

describe('storableText', () => {
  it('keeps the first KiB', () => {
    expect(storableText(Buffer.alloc(5_000, 'a'))).toBe('a'.repeat(1_024));
  });

  it('replaces what the database would refuse', () => {
    expect(storableText(Buffer.from([0x61, 0x00, 0x62]))).toBe('a\ufffdb');
    expect(storableText(Buffer.from([0xff, 0x61]))).toBe('\ufffda');
    expect(storableText(Buffer.concat([Buffer.alloc(1_023, 'a'), Buffer.from('é')])).isWellFormed()).toBe(
      true,
    );
  });
});
