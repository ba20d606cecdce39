import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { receiversOf, type Sender, SENDERS } from '@offizin/contracts/calls/call-rights';
import { type CallKeysText, readCallKeys } from '@offizin/runtime/call-keys';

export const databaseServices = ['order-core', 'catalog', 'webhook-worker'] as const;
export type DatabaseService = (typeof databaseServices)[number];

/** Each process that signs calls is a user at the broker. */
export const natsUsers = SENDERS;
export type NatsUser = Sender;

/** All secrets of a local stack. Created once per data folder, so that issued keys stay valid. */
export interface Secrets {
  postgresAdminPassword: string;
  databasePasswords: Record<DatabaseService, string>;
  natsPasswords: Record<NatsUser, string>;
  callKeys: CallKeyPairs;
  /** 32 bytes each, base64. */
  idempotencySecrets: Record<DatabaseService, string>;
  /** 32 bytes, base64. Data encrypted under it is unreadable without it. */
  masterKey: string;
  /** JSON: `{"keys": [private ES256 JWK]}`. */
  tokenSigningKeys: string;
  /** JSON: `{"keys": [private Ed25519 JWK]}`. */
  proofSigningKeys: string;
}

/** Reads or creates `<dataDir>/secrets.json` (mode 0600). */
export function readOrCreateSecrets(dataDir: string): Secrets {
  const file = join(dataDir, 'secrets.json');
  if (existsSync(file)) return parseSecrets(file);
  const secrets = createSecrets();
  mkdirSync(dataDir, { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(secrets, null, 2) + '\n', { mode: 0o600 });
  renameSync(draft, file);
  return secrets;
}

function parseSecrets(file: string): Secrets {
  const fresh = createSecrets();
  const stored = JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>;
  const missing = (Object.keys(fresh) as (keyof Secrets)[]).filter((name) => !stored[name]);
  if (missing.length > 0) {
    throw new Error(`${file} lacks ${missing.join(', ')}. Start with --fresh, or restore the file.`);
  }
  return { ...fresh, ...stored };
}

/** New ones, not yet stored. */
export function createSecrets(): Secrets {
  return {
    postgresAdminPassword: newPassword(),
    databasePasswords: eachWith(databaseServices, newPassword),
    natsPasswords: newNatsPasswords(),
    callKeys: newCallKeys(),
    idempotencySecrets: eachWith(databaseServices, newKey),
    masterKey: newKey(),
    tokenSigningKeys: JSON.stringify({ keys: [newSigningKey()] }),
    proofSigningKeys: JSON.stringify({ keys: [newProofKey()] }),
  };
}

/**
 * Starts with a letter: NATS parses environment variables in its own syntax and would read `12e5…` as a number.
 */
export function newPassword(): string {
  return `p${randomBytes(24).toString('hex')}`;
}

export function newNatsPasswords(): Record<NatsUser, string> {
  return eachWith(natsUsers, newPassword);
}

function eachWith<Name extends string>(names: readonly Name[], make: () => string): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, make()])) as Record<Name, string>;
}

/** Private ES256 JWK of TOKEN_SIGNING_KEYS. */
export function newSigningKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: newKeyId(), alg: 'ES256', use: 'sig' };
}

/** Private Ed25519 JWK of PROOF_SIGNING_KEYS. */
export function newProofKey() {
  const { privateKey } = generateKeyPairSync('ed25519');
  return { ...privateKey.export({ format: 'jwk' }), kid: newKeyId(), alg: 'EdDSA', use: 'sig' };
}

function newKeyId(): string {
  return randomBytes(8).toString('hex');
}

/**
 * One step of changing the passwords of all users at the broker, in the form of the setting NATS_PASSWORD. A new password
 * belongs to the other one of an app's two users (deploy/nats/permissions.conf), so the old one stays valid beside it.
 * Throws for a step out of order.
 */
export function rotatedNatsPasswords(
  passwords: Record<NatsUser, string>,
  step: RotationStep,
): Record<NatsUser, string> {
  const logins = mapValues(passwords, (text) => text.split(','));
  const next = rotated(logins, step, (user, present) => newLogin(`${user}-2`, present));
  return mapValues(next, (both) => both.join(','));
}

/** A password of the login that is not `present`: of the first one alone, `<second>:<password>` of the second. */
export function newLogin(second: string, present: string): string {
  return present.startsWith(`${second}:`) ? newPassword() : `${second}:${newPassword()}`;
}

function mapValues<A, B>(values: Record<NatsUser, A>, change: (value: A) => B): Record<NatsUser, B> {
  const entries = Object.entries<A>(values).map(([user, value]) => [user, change(value)]);
  return Object.fromEntries(entries) as Record<NatsUser, B>;
}

/** Keys of all pairs by `<sender>><receiver>`: one each, two during a rotation. */
export type CallKeyPairs = Record<string, string[]>;

export function newCallKeys(): CallKeyPairs {
  const pairs = SENDERS.flatMap((sender) => receiversOf[sender].map((receiver) => pairOf(sender, receiver)));
  return Object.fromEntries(pairs.map((pair) => [pair, [newKey()]]));
}

/** The setting CALL_KEYS of a process: the keys of its own pairs only. */
export function callKeysOf(process: Sender, pairs: CallKeyPairs): string {
  const keysOf = (pair: string): string[] => pairs[pair] ?? [];
  const senders = SENDERS.filter((sender) => receiversOf[sender].some((receiver) => receiver === process));
  const text: CallKeysText = {
    out: Object.fromEntries(receiversOf[process].map((to) => [to, keysOf(pairOf(process, to))])),
    in: Object.fromEntries(senders.map((from) => [from, keysOf(pairOf(from, process))])),
  };
  return JSON.stringify(text);
}

/** Inverse of `callKeysOf`: all pairs from the settings of all processes. */
export function pairsOf(settingOf: (process: Sender) => string): CallKeyPairs {
  return Object.fromEntries(
    SENDERS.flatMap((sender) =>
      Object.entries(readCallKeys(settingOf(sender)).out).map(([receiver, keys]) => [
        pairOf(sender, receiver),
        keys,
      ]),
    ),
  );
}

/** Steps of a rotation, in this order, with a complete roll-out after each. */
export const ROTATION_STEPS = ['add', 'switch', 'drop'] as const;
export type RotationStep = (typeof ROTATION_STEPS)[number];

/**
 * `add`: the new keys are accepted. `switch`: they sign. `drop`: the old ones are removed. Throws for a step out
 * of order. `newOne` makes the key of a pair, from the pair and its present key.
 */
export function rotated<Name extends string>(
  pairs: Record<Name, string[]>,
  step: RotationStep,
  newOne: (pair: Name, present: string) => string = newKey,
): Record<Name, string[]> {
  const entries = Object.entries<string[]>(pairs) as [Name, string[]][];
  return Object.fromEntries(
    entries.map(([pair, [first, second]]) => {
      if (first === undefined || (second === undefined) !== (step === 'add'))
        throw new Error(
          `${step} is not the next step: ${pair} has ${second === undefined ? 'one key' : 'two keys'}`,
        );
      if (second === undefined) return [pair, [first, newOne(pair, first)]];
      return [pair, step === 'switch' ? [second, first] : [first]];
    }),
  ) as Record<Name, string[]>;
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}

function pairOf(sender: Sender, receiver: string): string {
  return `${sender}>${receiver}`;
}
