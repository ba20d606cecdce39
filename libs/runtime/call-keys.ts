import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { mayAsk, receiversOf, type Sender, SENDERS } from '@offizin/contracts/calls/call-rights';
import type { Caller } from '@offizin/contracts/calls/caller';
import { Refused, Unreachable } from '@offizin/contracts/calls/errors';
import { CALL_HEADERS, type Operation, type ServiceName } from '@offizin/contracts/calls/operation';

/** Signatures of calls between our processes, with a secret key per pair of sender and receiver (decision 0031). */
const MIN_KEY_CHARACTERS = 32;

/**
 * A call that starts later after its signature could undo a newer call (decision 0022). Also the tolerance for clocks
 * that run ahead.
 */
const BEGIN_WITHIN_MS = 5_000;

/** What the signature covers. `about` is its purpose, such as the subject. */
interface SignedContent {
  about: string;
  atMs: number;
  bytes: Uint8Array | string;
}

type PairKeys = ReadonlyMap<string, readonly KeyObject[]>;

export class CallKeys {
  private constructor(
    readonly own: Sender,
    private readonly out: PairKeys,
    private readonly into: PairKeys,
  ) {}

  /** Throws when CALL_KEYS is malformed. */
  static of(own: Sender, text: string): CallKeys {
    const { out, in: into } = readCallKeys(text);
    return new CallKeys(own, keysOf(out), keysOf(into));
  }

  /** Signs with the first key of the pair. */
  sign(receiver: ServiceName, content: SignedContent): string {
    const [key] = this.out.get(receiver) ?? [];
    if (!key) throw new Error(`${this.own} has no key for calls to ${receiver} (CALL_KEYS)`);
    return macOf(content, key);
  }

  /**
   * Accepts every key of the pair. Throws `Refused` (unauthorized) for a wrong signature, `Unreachable` for a stale
   * one.
   */
  verify(sender: Sender, content: SignedContent, signature: string): void {
    const keys = this.into.get(sender) ?? [];
    if (!keys.some((key) => isEqual(signature, macOf(content, key)))) throw untrusted();
    if (Math.abs(Date.now() - content.atMs) > BEGIN_WITHIN_MS) throw tooLate();
  }
}

/** Throws when a required pair is missing. */
export function ownCallKeys(own: Sender, text: string): CallKeys {
  const lacking = lackingPairs(own, text);
  if (lacking.length > 0) throw new Error(`CALL_KEYS of ${own} lacks ${lacking.join(', ')}`);
  return CallKeys.of(own, text);
}

/** Required pairs that the setting lacks, such as `gateway>catalog`. */
export function lackingPairs(own: Sender, text: string): string[] {
  const { out, in: into } = readCallKeys(text);
  const senders = SENDERS.filter((sender) => receiversOf[sender].some((receiver) => receiver === own));
  return [
    ...receiversOf[own].filter((receiver) => !(receiver in out)).map((receiver) => `${own}>${receiver}`),
    ...senders.filter((sender) => !(sender in into)).map((sender) => `${sender}>${own}`),
  ];
}

/** Throws `Refused` (insufficient_scope). */
export function checkSender(sender: Sender, op: Operation, caller: Caller): void {
  if (mayAsk(sender, op, caller)) return;
  throw new Refused('insufficient_scope', `${sender} may not ask for ${op.name} in this name.`);
}

export function untrusted(): Refused {
  return new Refused('unauthorized', 'This port answers only the processes of this installation.');
}

export function isSender(name: unknown): name is Sender {
  return SENDERS.some((sender) => sender === name);
}

/** By the other process of the pair; two keys during a rotation. */
export interface CallKeysText {
  out: Record<string, string[]>;
  in: Record<string, string[]>;
}

/** The thrown error never quotes a key. */
export function readCallKeys(text: string): CallKeysText {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Error('must be JSON');
  }
  if (!isCallKeysText(parsed))
    throw new Error(
      `must be {"out": {"<receiver>": [keys]}, "in": {"<sender>": [keys]}} with one or two keys each, of at least ${MIN_KEY_CHARACTERS} characters`,
    );
  return parsed;
}

function isCallKeysText(value: unknown): value is CallKeysText {
  return isObject(value) && ['out', 'in'].every((name) => isKeyTable(value[name]));
}

function isKeyTable(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.entries(value).every(
      ([name, keys]) =>
        isSender(name) && Array.isArray(keys) && [1, 2].includes(keys.length) && keys.every(isKey),
    )
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isKey(key: unknown): boolean {
  return typeof key === 'string' && key.length >= MIN_KEY_CHARACTERS;
}

function keysOf(table: Record<string, string[]>): PairKeys {
  return new Map(
    Object.entries(table).map(([name, keys]) => [name, keys.map((key) => createSecretKey(key, 'utf8'))]),
  );
}

function macOf({ about, atMs, bytes }: SignedContent, key: KeyObject): string {
  return createHmac('sha256', key).update(`${about}\n${atMs}\n`).update(bytes).digest('base64url');
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function tooLate(): Unreachable {
  return new Unreachable(
    'service_unavailable',
    'The call reached its service too late: nothing was done. Send it again.',
  );
}

/**
 * Carries the caller from an edge to order-core. Of a streamed body the signature covers only the length (decision
 * 0031).
 */
export const CALLER_TOKEN_HEADER = 'x-offizin-caller';

export interface HttpCall {
  method: string;
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface SignedCaller {
  sender: Sender;
  caller: Caller;
  /** Base64url; null for a streamed body. */
  bodySha256: string | null;
}

const BOUND_HEADERS = [...CALL_HEADERS, 'content-length', 'transfer-encoding', 'content-type'] as const;

/** `body` is the whole body in pieces, or null for a streamed one. */
export function signCaller(
  keys: CallKeys,
  caller: Caller,
  call: HttpCall,
  body: readonly Uint8Array[] | null,
): string {
  const atMs = Date.now();
  const bodySha256 = body && sha256Of(body).toString('base64url');
  const text = JSON.stringify({ sender: keys.own, caller, atMs, bodySha256 });
  const claims = Buffer.from(text).toString('base64url');
  return `${claims}.${keys.sign('order-core', contentOf(call, claims, atMs))}`;
}

/** Throws `Refused` (unauthorized) for a missing, forged or foreign token, and `Unreachable` for a stale one. */
export function verifyCaller(keys: CallKeys, token: string | undefined, call: HttpCall): SignedCaller {
  const [claims = '', signature = '', ...rest] = (token ?? '').split('.');
  const { sender, caller, atMs, bodySha256 } = claimsIn(claims);
  if (rest.length > 0 || !isSender(sender) || typeof atMs !== 'number') throw untrusted();
  keys.verify(sender, contentOf(call, claims, atMs), signature);
  return { sender, caller: caller as Caller, bodySha256: typeof bodySha256 === 'string' ? bodySha256 : null };
}

/** Throws `Refused` (unauthorized) when the sender signed another body, or none. */
export function verifyBody({ bodySha256 }: Pick<SignedCaller, 'bodySha256'>, body: Uint8Array): void {
  if (sha256Of([body]).toString('base64url') !== bodySha256) throw untrusted();
}

function sha256Of(pieces: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}

/** Untrusted until the signature is verified. */
function claimsIn(claims: string): Partial<Record<'sender' | 'caller' | 'atMs' | 'bodySha256', unknown>> {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString());
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

function contentOf({ method, url, headers }: HttpCall, claims: string, atMs: number): SignedContent {
  const bound = BOUND_HEADERS.map((name) => headers[name] ?? null);
  return { about: `${method} ${url}`, atMs, bytes: `${claims}\n${JSON.stringify(bound)}` };
}
