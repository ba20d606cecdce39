import { TokenLimits } from './token-limits';

describe('the limits of the token exchange', () => {
  it('count attempts per address and exchanges per key', () => {
    const limits = new TokenLimits({ perKeyPerMinute: 2, perAddressPerMinute: 3 }, () => 1);
    const attempt = (key: string): boolean => {
      const ofAddress = limits.takeForAddress('203.0.113.7');
      return ofAddress.allowed && limits.takeForKey(key, ofAddress).allowed;
    };
    expect([attempt('a'), attempt('a'), attempt('a'), attempt('b')]).toEqual([true, true, false, false]);
    expect(limits.takeForAddress('203.0.113.8').allowed).toBe(true);
  });

  it('report the tighter of the two', () => {
    const limits = new TokenLimits({ perKeyPerMinute: 10, perAddressPerMinute: 30 }, () => 1);
    const first = limits.takeForKey('a', limits.takeForAddress('203.0.113.7'));
    expect({ limit: first.limit, remaining: first.remaining }).toEqual({ limit: 10, remaining: 9 });
    for (let attempt = 0; attempt < 25; attempt++) limits.takeForAddress('203.0.113.7');
    const later = limits.takeForKey('b', limits.takeForAddress('203.0.113.7'));
    expect({ limit: later.limit, remaining: later.remaining }).toEqual({ limit: 30, remaining: 3 });
  });
});
