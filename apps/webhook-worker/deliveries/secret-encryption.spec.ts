import { randomBytes } from 'node:crypto';
import { SecretEncryption } from './secret-encryption';

const ID = '0190a6f0-7c1e-7b1a-9c55-6a3a0a9f1c11';
const OTHER_ID = '0190a6f0-7c1e-7b1a-9c55-6a3a0a9f1c12';

describe('SecretEncryption', () => {
  const key = randomBytes(32);
  const box = new SecretEncryption([key]);

  it('decrypts what it encrypted, also after a restart with the same master key', () => {
    const encrypted = box.encrypt(ID, 'whsec_abc');
    expect(box.decrypt(ID, encrypted)).toBe('whsec_abc');
    expect(new SecretEncryption([key]).decrypt(ID, encrypted)).toBe('whsec_abc');
  });

  it('leaves no trace of the secret in the encrypted bytes, and encrypts the same secret differently each time', () => {
    const encrypted = box.encrypt(ID, 'whsec_abc');
    expect(encrypted.includes('whsec_')).toBe(false);
    expect(box.encrypt(ID, 'whsec_abc').equals(encrypted)).toBe(false);
  });

  it('decrypts and encrypts again what was encrypted under the second key, while the master key is changed', () => {
    const next = randomBytes(32);
    const both = new SecretEncryption([next, key]);
    const encrypted = box.encrypt(ID, 'whsec_abc');
    expect(both.decrypt(ID, encrypted)).toBe('whsec_abc');
    const again = both.reencrypted(ID, encrypted);
    expect(again && new SecretEncryption([next]).decrypt(ID, again)).toBe('whsec_abc');
    expect(again && both.reencrypted(ID, again)).toBeNull();
  });

  it('does not decrypt for another subscription, under another master key, or after a change of any byte', () => {
    const encrypted = box.encrypt(ID, 'whsec_abc');
    expect(() => box.decrypt(OTHER_ID, encrypted)).toThrow();
    expect(() => new SecretEncryption([randomBytes(32)]).decrypt(ID, encrypted)).toThrow();
    for (let at = 0; at < encrypted.length; at++) {
      const changed = Buffer.from(encrypted);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => box.decrypt(ID, changed)).toThrow();
    }
  });
});
