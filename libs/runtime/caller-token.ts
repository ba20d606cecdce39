import { createHash } from 'node:crypto';
import type { Sender } from '@offizin/contracts/call-rights';
import type { Caller } from '@offizin/contracts/caller';
import { CALL_HEADERS } from '@offizin/contracts/operation';
import { type CallKeys, isSender, type SignedContent, untrusted } from './call-keys';

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

/** Returns the body's SHA-256. Throws `Refused` (unauthorized) when the sender signed another body, or none. */
export function verifyBody({ bodySha256 }: Pick<SignedCaller, 'bodySha256'>, body: Uint8Array): Uint8Array {
  const sha256 = sha256Of([body]);
  if (sha256.toString('base64url') !== bodySha256) throw untrusted();
  return sha256;
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
