import { randomBytes } from 'node:crypto';
import { SecretBox } from './secret-box';

const ID = '0190a6f0-7c1e-7b1a-9c55-6a3a0a9f1c11';
const OTHER_ID = '0190a6f0-7c1e-7b1a-9c55-6a3a0a9f1c12';

describe('SecretBox', () => {
  const key = randomBytes(32);
  const box = new SecretBox([key]);

  it('opens what it sealed, also after a restart with the same master key', () => {
    const sealed = box.seal(ID, 'whsec_abc');
    expect(box.open(ID, sealed)).toBe('whsec_abc');
    expect(new SecretBox([key]).open(ID, sealed)).toBe('whsec_abc');
  });

  it('leaves no trace of the secret in the sealed bytes, and seals the same secret differently each time', () => {
    const sealed = box.seal(ID, 'whsec_abc');
    expect(sealed.includes('whsec_')).toBe(false);
    expect(box.seal(ID, 'whsec_abc').equals(sealed)).toBe(false);
  });

  it('opens and seals again what was sealed under the second key, while the master key is changed', () => {
    const next = randomBytes(32);
    const both = new SecretBox([next, key]);
    const sealed = box.seal(ID, 'whsec_abc');
    expect(both.open(ID, sealed)).toBe('whsec_abc');
    const again = both.resealed(ID, sealed);
    expect(again && new SecretBox([next]).open(ID, again)).toBe('whsec_abc');
    expect(again && both.resealed(ID, again)).toBeNull();
  });

  it('does not open for another subscription, under another master key, or after a change of any byte', () => {
    const sealed = box.seal(ID, 'whsec_abc');
    expect(() => box.open(OTHER_ID, sealed)).toThrow();
    expect(() => new SecretBox([randomBytes(32)]).open(ID, sealed)).toThrow();
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => box.open(ID, changed)).toThrow();
    }
  });
});
