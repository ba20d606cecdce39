import { createPrivateKey, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loginOf } from '@offizin/runtime/process-config';
import { SENDERS } from '@offizin/contracts/calls/call-rights';
import { readCallKeys } from '@offizin/runtime/call-keys';
import {
  callKeysOf,
  natsUsers,
  newCallKeys,
  newNatsPasswords,
  pairsOf,
  readOrCreateSecrets,
  rotated,
  rotatedNatsPasswords,
  ROTATION_STEPS,
} from './secrets';

describe('the secrets of a data folder', () => {
  let dataDir: string;
  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'secrets-'))));

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
    const [proofKey] = JSON.parse(secrets.proofSigningKeys).keys;
    expect(proofKey).toMatchObject({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' });
    expect(createPrivateKey({ key: proofKey, format: 'jwk' }).asymmetricKeyType).toBe('ed25519');
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

const pairs = newCallKeys();

it('gives each process the keys of its own pairs and no others', () => {
  for (const process of SENDERS) {
    const text = callKeysOf(process, pairs);
    for (const [pair, keys] of Object.entries(pairs))
      expect({ process, pair, held: text.includes(keys[0] ?? '') }).toEqual({
        process,
        pair,
        held: pair.split('>').includes(process),
      });
  }
});

it('gives a process that receives no calls no key to accept', () => {
  expect(Object.keys(readCallKeys(callKeysOf('gateway', pairs)).in)).toEqual([]);
  expect(Object.keys(readCallKeys(callKeysOf('catalog', pairs)).in)).toEqual([
    'gateway',
    'order-core',
    'operator',
  ]);
});

it('reads the pairs back from the settings of all processes', () => {
  expect(pairsOf((process) => callKeysOf(process, pairs))).toEqual(pairs);
});

it('rotates in three steps, in which the signing key is always accepted by those of the step before', () => {
  const added = rotated(pairs, 'add');
  const switched = rotated(added, 'switch');
  const dropped = rotated(switched, 'drop');
  for (const [before, after] of [
    [pairs, added],
    [added, switched],
    [switched, dropped],
  ] as const)
    for (const pair of Object.keys(pairs)) {
      expect(before[pair]).toContain(after[pair]?.[0]);
      expect(after[pair]).toContain(before[pair]?.[0]);
    }
  for (const pair of Object.keys(pairs)) expect(dropped[pair]).not.toContain(pairs[pair]?.[0]);
});

it('refuses a step out of order', () => {
  const added = rotated(pairs, 'add');
  expect(() => rotated(added, 'add')).toThrow('add is not the next step: gateway>order-core has two keys');
  expect(() => rotated(pairs, 'switch')).toThrow('has one key');
  expect(() => rotated(pairs, 'drop')).toThrow('drop is not the next step');
});
