import type { Caller } from '@offizin/contracts/calls/caller';
import { Refused, Unreachable } from '@offizin/contracts/calls/errors';
import { keysFor } from '@offizin/testkit/call-keys';
import { type Frame, packFrames, unpackFrames } from './wire-format';
import { type Address, type CallInMessage, callsOf, packSigned, senderOfReply } from './signed-batch';

const ADDRESS: Address = { subject: 'rpc.catalog.inventory.list', reply: '_INBOX.gateway.abc.1' };
const keys = keysFor('catalog');
const gateway = keysFor('gateway');

afterEach(() => jest.useRealTimers());

function callerNamed(actorId: string): Caller {
  return { kind: 'key', orgId: 'one', shopId: null, actorId, scopes: [], requestId: 'r' };
}

function frameOf(number: number, caller: unknown): Frame {
  return { head: JSON.stringify({ number, caller }), body: '{"text":"a"}' };
}

const frames = [frameOf(1, callerNamed('one')), frameOf(2, callerNamed('two'))];

function signed(address = ADDRESS, by = gateway): Buffer {
  return packSigned(frames, 'catalog', address, by);
}

function read(message: Uint8Array, address = ADDRESS): CallInMessage[] {
  const sender = senderOfReply(address.reply);
  if (sender === null) throw new Error('an address without a reply subject');
  return callsOf(message, sender, address, keys);
}

function refusals(message: Uint8Array, address = ADDRESS): (string | null)[] {
  return read(message, address).map(({ refusal }) => {
    if (refusal === null) return null;
    return refusal instanceof Refused || refusal instanceof Unreachable ? refusal.code : 'other';
  });
}

it('returns the calls of a signed message, each with its caller', () => {
  expect(read(signed())).toMatchObject([
    { head: { number: 1 }, caller: callerNamed('one'), refusal: null },
    { head: { number: 2 }, caller: callerNamed('two'), refusal: null },
  ]);
});

it('refuses unsigned calls and those with another signature', () => {
  const head = JSON.stringify({ signature: 'x'.repeat(43), atMs: Date.now() });
  expect(refusals(packFrames(frames))).toEqual(['unauthorized', 'unauthorized']);
  expect(refusals(packFrames([{ head, body: '' }, ...frames]))).toEqual(['unauthorized', 'unauthorized']);
});

it('refuses all calls of a message when any byte after its signature was changed', () => {
  const message = signed();
  const callsAt = 8 + Buffer.byteLength(unpackFrames(message)[0]?.head ?? '');
  for (let at = callsAt; at < message.length; at++) {
    const changed = Buffer.from(message);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect({ at, taken: refusals(changed).filter((code) => code === null) }).toEqual({ at, taken: [] });
  }
});

it('refuses a changed time', () => {
  const [first, ...calls] = unpackFrames(signed());
  const head = JSON.parse(first?.head ?? '{}') as { atMs: number };
  const later = JSON.stringify({ ...head, atMs: head.atMs + 1 });
  expect(refusals(packFrames([{ head: later, body: '' }, ...calls]))).toContain('unauthorized');
});

it('refuses calls added after, before or instead of the signed ones', () => {
  const [signature, own] = unpackFrames(
    packSigned([frameOf(1, callerNamed('one'))], 'catalog', ADDRESS, gateway),
  );
  if (!signature || !own) throw new Error('a message without its frames');
  const further = frameOf(2, callerNamed('two'));
  for (const changed of [
    [signature, own, further],
    [signature, further, own],
    [signature, further],
    [signature, own, own],
  ])
    expect(refusals(packFrames(changed))).not.toContain(null);
});

it('refuses messages signed for another operation, service or reply subject', () => {
  const elsewhere: Address[] = [
    { ...ADDRESS, subject: 'rpc.catalog.inventory.adjust' },
    { ...ADDRESS, reply: '_INBOX.gateway.abc.2' },
    { ...ADDRESS, reply: '_INBOX.order-core.abc.1' },
  ];
  for (const address of elsewhere) {
    expect(refusals(signed(), address)).toEqual(['unauthorized', 'unauthorized']);
    expect(refusals(signed(address), ADDRESS)).toEqual(['unauthorized', 'unauthorized']);
  }
  const toCore = packSigned(frames, 'order-core', ADDRESS, gateway);
  expect(refusals(toCore)).toEqual(['unauthorized', 'unauthorized']);
});

it('refuses messages that another process signed as the owner of the reply subject', () => {
  for (const forger of ['order-core', 'operator'] as const)
    expect(refusals(signed(ADDRESS, keysFor(forger)))).toEqual(['unauthorized', 'unauthorized']);
  expect(() => signed(ADDRESS, keysFor('webhook-worker'))).toThrow('no key for calls to catalog');
});

it('accepts a message within five seconds before and after its signature', () => {
  const refusalsAfter = (agoMs: number): (string | null)[] => {
    jest.useFakeTimers({ now: Date.now() - agoMs });
    const message = signed();
    jest.useRealTimers();
    return refusals(message);
  };
  expect(refusalsAfter(4_000)).toEqual([null, null]);
  expect(refusalsAfter(6_000)).toEqual(['service_unavailable', 'service_unavailable']);
  expect(refusalsAfter(-4_000)).toEqual([null, null]);
  expect(refusalsAfter(-6_000)).toEqual(['service_unavailable', 'service_unavailable']);
});

it('returns one call without a head for a message without calls', () => {
  expect(read(packSigned([], 'catalog', ADDRESS, gateway))).toMatchObject([{ head: null, refusal: null }]);
  for (const junk of ['', 'not frames', '\0'.repeat(7)])
    expect(read(Buffer.from(junk))).toMatchObject([{ head: null, refusal: expect.any(Refused) }]);
});

it.each([
  [undefined, null],
  ['', null],
  ['_INBOX.gateway', null],
  ['_INBOX.gateway.abc', null],
  ['_INBOX.gateway.abc.1', 'gateway'],
  ['_INBOX.connector-edge.a_B-9.12', 'connector-edge'],
  ['_INBOX.gateway.abc.1.2', null],
  ['_INBOX.gateway.*.1', null],
  ['_INBOX.gateway.>', null],
  ['_INBOX.stranger.abc.1', null],
  ['_INBOX.__proto__.abc.1', null],
  ['x_INBOX.gateway.abc.1', null],
  ['_INBOX.gateway.abc.1\n', null],
  ['$KV.directory.key.1', null],
])('names the owner of a reply subject: %p is of %p', (reply, owner) => {
  expect(senderOfReply(reply)).toBe(owner);
});
