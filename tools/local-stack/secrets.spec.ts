import { createPrivateKey, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loginOf } from '@offizin/runtime/broker-settings';
import { natsUsers, newNatsPasswords, readOrCreateSecrets, rotatedNatsPasswords } from './secrets';
import { ROTATION_STEPS } from './call-keys';

describe('the secrets of a data folder', () => {
  let dataDir: string;
  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'secrets-'))));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('stay the same across starts', () => {
    expect(readOrCreateSecrets(dataDir)).toEqual(readOrCreateSecrets(dataDir));
  });

  it('differ between folders and between users', () => {
    const first = readOrCreateSecrets(dataDir);
    const second = readOrCreateSecrets(join(dataDir, 'other'));
    const passwords = [first, second].flatMap((secrets) => [
      secrets.postgresAdminPassword,
      secrets.masterKey,
      ...Object.values(secrets.callKeys).flat(),
      ...Object.values(secrets.idempotencySecrets),
      ...Object.values(secrets.natsPasswords),
      ...Object.values(secrets.databasePasswords),
    ]);
    expect(new Set(passwords).size).toBe(passwords.length);
  });

  it('are readable by their owner only', () => {
    readOrCreateSecrets(dataDir);
    expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('give keys of the right kind and length', () => {
    const secrets = readOrCreateSecrets(dataDir);
    expect(Buffer.from(secrets.masterKey, 'base64')).toHaveLength(32);
    for (const [key = ''] of Object.values(secrets.callKeys))
      expect(Buffer.from(key, 'base64')).toHaveLength(32);
    for (const secret of Object.values(secrets.idempotencySecrets))
      expect(Buffer.from(secret, 'base64')).toHaveLength(32);
    const [key] = JSON.parse(secrets.tokenSigningKeys).keys;
    expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
    expect(key.kid).toMatch(/^[0-9a-f]{16}$/);
    const privateKey = createPrivateKey({ key, format: 'jwk' });
    expect(sign('sha256', Buffer.from('text'), privateKey).length).toBeGreaterThan(60);
  });

  it('give NATS passwords that its configuration cannot take for numbers', () => {
    const { natsPasswords } = readOrCreateSecrets(dataDir);
    for (const password of Object.values(natsPasswords)) expect(password).toMatch(/^[a-z][0-9a-z]{32,}$/);
  });

  it('name what is missing in a damaged file instead of making new keys', () => {
    const stored = JSON.parse(JSON.stringify(readOrCreateSecrets(dataDir)));
    delete stored.masterKey;
    writeFileSync(join(dataDir, 'secrets.json'), JSON.stringify(stored));
    expect(() => readOrCreateSecrets(dataDir)).toThrow(/lacks masterKey/);
    expect(readFileSync(join(dataDir, 'secrets.json'), 'utf8')).not.toContain('masterKey');
  });
});

const natsPasswords = newNatsPasswords();

it('gives each user another password, of the other one of its two users, each time', () => {
  let passwords = natsPasswords;
  const users: string[] = [];
  for (let round = 0; round < 3; round++) {
    const before = passwords;
    for (const step of ROTATION_STEPS) {
      const present = passwords;
      passwords = rotatedNatsPasswords(passwords, step);
      // A login of one step is accepted by the files of the other one.
      for (const user of natsUsers) {
        expect([user, present[user].split(',')]).toEqual([
          user,
          expect.arrayContaining([firstOf(passwords[user])]),
        ]);
        expect([user, passwords[user].split(',')]).toEqual([
          user,
          expect.arrayContaining([firstOf(present[user])]),
        ]);
      }
    }
    for (const user of natsUsers) expect(passwords[user]).not.toContain(before[user]);
    users.push(loginOf('catalog', passwords.catalog).user);
  }
  expect(users).toEqual(['catalog-2', 'catalog', 'catalog-2']);
});

it('refuses a step out of order', () => {
  expect(() => rotatedNatsPasswords(natsPasswords, 'switch')).toThrow('switch is not the next step: gateway');
  const added = rotatedNatsPasswords(natsPasswords, 'add');
  expect(() => rotatedNatsPasswords(added, 'add')).toThrow('add is not the next step');
});

function firstOf(text: string): string {
  return text.split(',')[0] ?? '';
}
