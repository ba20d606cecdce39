import type { Sender } from '@offizin/contracts/calls/call-rights';
import type { Caller } from '@offizin/contracts/calls/caller';
import type { ServiceName } from '@offizin/contracts/calls/operation';
import { type CallKeys, isSender, untrusted } from '@offizin/runtime/call-keys';
import { type CallHead, type Frame, LENGTHS_BYTES, packFrames, unpackFrames } from './wire-format';

/**
 * One HMAC covers the whole message (decision 0031). The reply subject names the sender, so an answer reaches only the
 * process that signed.
 */
interface SignatureHead {
  signature: string;
  atMs: number;
}

/** As long as base64url of SHA-256. */
const NO_SIGNATURE_YET = ' '.repeat(43);

export interface Address {
  subject: string;
  reply: string;
}

export function packSigned(
  frames: readonly Frame[],
  to: ServiceName,
  address: Address,
  keys: CallKeys,
): Buffer {
  const atMs = Date.now();
  const head = JSON.stringify({ signature: NO_SIGNATURE_YET, atMs } satisfies SignatureHead);
  const message = packFrames([{ head, body: '' }, ...frames]);
  const bytes = message.subarray(LENGTHS_BYTES + head.length);
  const signature = keys.sign(to, { about: aboutOf(address), atMs, bytes });
  message.write(signature, LENGTHS_BYTES + head.indexOf(NO_SIGNATURE_YET), 'latin1');
  return message;
}

const REPLY_SUBJECT = /^_INBOX\.([a-z-]+)\.[\w-]+\.[\w-]+$/;

/** Null if the subject is not a reply subject of our processes. */
export function senderOfReply(reply: string | undefined): Sender | null {
  const name = REPLY_SUBJECT.exec(reply ?? '')?.[1];
  return isSender(name) ? name : null;
}

export interface CallInMessage {
  head: CallHead | null;
  body: Buffer;
  /** Trustworthy only if `refusal` is null. */
  caller: Caller | null;
  refusal: Error | null;
}

/** A message without a readable call yields one call without a head, so that it is answered. */
export function callsOf(
  message: Uint8Array,
  sender: Sender,
  address: Address,
  keys: CallKeys,
): CallInMessage[] {
  let refusal: Error | null = untrusted();
  try {
    const frames = unpackFrames(message).map(({ head, body }) => ({ head: JSON.parse(head) as Head, body }));
    refusal = refusalOf(frames[0], message, { sender, address }, keys);
    const isSigned = typeof frames[0]?.head.signature === 'string';
    const calls = (isSigned ? frames.slice(1) : frames).map(({ head, body }) => ({
      head: callHeadOf(head),
      body,
      caller: callerIn(head),
      refusal,
    }));
    if (calls.length > 0) return calls;
  } catch {
    // Not our wire format: refused below.
  }
  return [{ head: null, body: Buffer.alloc(0), caller: null, refusal }];
}

type Head = Record<string, unknown>;

/** Null if the signature in the first frame covers everything after it. */
function refusalOf(
  first: { head: Head; body: Buffer } | undefined,
  message: Uint8Array,
  { sender, address }: { sender: Sender; address: Address },
  keys: CallKeys,
): Error | null {
  const { signature, atMs } = first?.head ?? {};
  if (!first || typeof signature !== 'string' || typeof atMs !== 'number') return untrusted();
  const bytes = message.subarray(first.body.byteOffset + first.body.length - message.byteOffset);
  try {
    keys.verify(sender, { about: aboutOf(address), atMs, bytes }, signature);
    return null;
  } catch (error) {
    return error as Error;
  }
}

function aboutOf({ subject, reply }: Address): string {
  return `${subject}\n${reply}`;
}

function callerIn({ caller }: Head): Caller | null {
  return typeof caller === 'object' && caller !== null ? (caller as Caller) : null;
}

/** Input is untrusted: fields of the wrong type are treated as missing. */
function callHeadOf({ number, params, query, headers, traceparent }: Head): CallHead {
  return {
    number: typeof number === 'number' ? number : 0,
    params: { ...(params as CallHead['params'] | undefined) },
    query: typeof query === 'string' ? query : '',
    headers: { ...(headers as CallHead['headers'] | undefined) },
    traceparent: typeof traceparent === 'string' ? traceparent : null,
  };
}
