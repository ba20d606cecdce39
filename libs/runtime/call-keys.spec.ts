import type { Caller } from '@offizin/contracts/calls/caller';
import { Refused, Unreachable } from '@offizin/contracts/calls/errors';
import { listInventory } from '@offizin/contracts/products/inventory';
import { type Operation, subjectOf } from '@offizin/contracts/calls/operation';
import { operations } from '@offizin/contracts/operations';
import { internalSenders, mayAsk, receiversOf, SENDERS } from '@offizin/contracts/calls/call-rights';
import { keysFor } from '@offizin/testkit/call-keys';
import {
  CallKeys,
  checkSender,
  type HttpCall,
  lackingPairs,
  ownCallKeys,
  readCallKeys,
  signCaller,
  verifyBody,
  verifyCaller,
} from './call-keys';

const OLD = 'o'.repeat(40);
const NEW = 'n'.repeat(40);
const content = { about: 'rpc.catalog.x', atMs: Date.now(), bytes: Buffer.from('what is said') };

function gateway(...keys: string[]): CallKeys {
  return CallKeys.of('gateway', JSON.stringify({ out: { catalog: keys }, in: {} }));
}

function catalog(...keys: string[]): CallKeys {
  return CallKeys.of('catalog', JSON.stringify({ out: {}, in: { gateway: keys } }));
}

function isTaken(by: CallKeys, signature: string, signed = content): boolean {
  try {
    by.verify('gateway', signed, signature);
    return true;
  } catch (error) {
    if (error instanceof Refused && error.code === 'unauthorized') return false;
    throw error;
  }
}

it('accepts what the sender signed, and nothing that differs in any part', () => {
  const signed = { ...content, atMs: Date.now() };
  const signature = gateway(OLD).sign('catalog', signed);
  expect(isTaken(catalog(OLD), signature, signed)).toBe(true);
  expect(isTaken(catalog(OLD), signature, { ...signed, about: 'rpc.catalog.y' })).toBe(false);
  expect(isTaken(catalog(OLD), signature, { ...signed, atMs: signed.atMs + 1 })).toBe(false);
  expect(isTaken(catalog(OLD), signature, { ...signed, bytes: Buffer.from('what is sai') })).toBe(false);
  for (const other of ['', signature.slice(1), `${signature}x`, 'x'.repeat(43)])
    expect(isTaken(catalog(OLD), other, signed)).toBe(false);
});

it('signs with the first key and accepts both during a rotation', () => {
  const signed = { ...content, atMs: Date.now() };
  const [old, both, switched] = [gateway(OLD), gateway(OLD, NEW), gateway(NEW, OLD)];
  const signatures = [old, both, switched].map((keys) => keys.sign('catalog', signed));
  const takenBy = (keys: CallKeys): boolean[] =>
    signatures.map((signature) => isTaken(keys, signature, signed));
  expect(takenBy(catalog(OLD))).toEqual([true, true, false]);
  expect(takenBy(catalog(OLD, NEW))).toEqual([true, true, true]);
  expect(takenBy(catalog(NEW))).toEqual([false, false, true]);
});

it('refuses a sender without a key', () => {
  const signature = gateway(OLD).sign('catalog', content);
  expect(() => catalog(OLD).verify('order-core', content, signature)).toThrow(Refused);
  expect(() => gateway(OLD).sign('order-core', content)).toThrow(
    'gateway has no key for calls to order-core',
  );
});

it.each([
  'no json',
  'null',
  '[]',
  '{}',
  '{"out":{}}',
  '{"out":{},"in":[]}',
  `{"out":{"stranger":["${OLD}"]},"in":{}}`,
  `{"out":{"catalog":"${OLD}"},"in":{}}`,
  '{"out":{"catalog":[]},"in":{}}',
  '{"out":{"catalog":["short"]},"in":{}}',
  `{"out":{"catalog":["${OLD}","${OLD}","${OLD}"]},"in":{}}`,
])('refuses keys of another form without naming them: %s', (text) => {
  let message = '';
  try {
    readCallKeys(text);
  } catch (error) {
    message = String(error);
  }
  expect(message).toContain('must be');
  expect(message).not.toContain(OLD);
});

it('refuses to start without a required pair, and names it', () => {
  const text = JSON.stringify({ out: { catalog: [OLD] }, in: { gateway: [OLD], operator: [OLD] } });
  expect(lackingPairs('order-core', text)).toEqual([
    'order-core>webhook-worker',
    'connector-edge>order-core',
    'catalog>order-core',
    'webhook-worker>order-core',
  ]);
  expect(() => ownCallKeys('connector-edge', '{"out":{},"in":{}}')).toThrow(
    'CALL_KEYS of connector-edge lacks connector-edge>order-core',
  );
  const complete = `{"out":{"order-core":["${OLD}"]},"in":{}}`;
  expect(ownCallKeys('connector-edge', complete).own).toBe('connector-edge');
});

function callerOf(kind: Caller['kind'], actorId: string): Caller {
  return { kind, orgId: '', shopId: null, actorId, scopes: [], requestId: 'r' };
}

const KINDS = ['key', 'integration', 'staff', 'platform', 'service'] as const;

/** As `<kind> <access>`. */
function rightsOf(sender: (typeof SENDERS)[number]): string[] {
  const allowed = operations.flatMap((op) =>
    KINDS.filter((kind) => mayAsk(sender, op, callerOf(kind, sender))).map(
      (kind) => `${kind} ${classOf(op)}`,
    ),
  );
  return [...new Set(allowed)].sort();
}

function classOf(op: Operation): string {
  if (op.access === 'internal' || op.access === 'connector') return op.access;
  return 'organization';
}

it('lets each sender call only as the kind of caller that it authenticates', () => {
  expect(Object.fromEntries(SENDERS.map((sender) => [sender, rightsOf(sender)]))).toEqual({
    gateway: ['key organization', 'service internal', 'staff organization'],
    'connector-edge': ['integration connector', 'service internal'],
    'order-core': ['service internal'],
    catalog: ['service internal'],
    'webhook-worker': ['service internal'],
    operator: ['platform connector', 'platform internal', 'platform organization'],
  });
});

it('lets a service send only the internal operations of the table, and only as itself', () => {
  for (const op of operations.filter(({ access }) => access === 'internal'))
    for (const sender of SENDERS.filter((name) => name !== 'operator')) {
      const may = internalSenders[subjectOf(op)]?.includes(sender);
      expect({ op: op.name, sender, may: mayAsk(sender, op, callerOf('service', sender)) }).toEqual({
        op: op.name,
        sender,
        may,
      });
      expect(mayAsk(sender, op, callerOf('service', 'another'))).toBe(false);
    }
});

it('has keys for each pair of the table and for no other', () => {
  for (const sender of SENDERS)
    for (const receiver of ['order-core', 'catalog', 'webhook-worker'] as const) {
      const calls = operations.some(
        (op) => op.service === receiver && KINDS.some((kind) => mayAsk(sender, op, callerOf(kind, sender))),
      );
      expect({ sender, receiver, calls: receiversOf[sender].includes(receiver) }).toEqual({
        sender,
        receiver,
        calls,
      });
    }
});

it('names the refused sender and the operation', () => {
  expect(() => checkSender('catalog', listInventory, callerOf('key', 'k'))).toThrow(
    'catalog may not ask for inventory.list in this name.',
  );
});

describe('tokens of callers', () => {
  const CALLER: Caller = {
    kind: 'integration',
    orgId: 'org-1',
    shopId: 'shop-1',
    actorId: 'key-1',
    scopes: [],
    requestId: 'request-1',
  };
  const CALL: HttpCall = {
    method: 'POST',
    url: '/api/v1/external-order?x=1',
    headers: { 'content-type': 'application/json', 'content-length': '12', 'idempotency-key': 'a' },
  };
  const BODY = Buffer.from('{"name":"a"}');
  const core = keysFor('order-core');
  const edge = keysFor('connector-edge');

  function expectRefused(token: string | undefined, call = CALL): void {
    let thrown: unknown;
    try {
      verifyCaller(core, token, call);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(Refused);
    expect(thrown).toMatchObject({ code: 'unauthorized' });
  }

  afterEach(() => jest.useRealTimers());

  it('returns the signed caller and sender', () => {
    const token = signCaller(edge, CALLER, CALL, [BODY]);
    expect(verifyCaller(core, token, CALL)).toMatchObject({ sender: 'connector-edge', caller: CALLER });
  });

  it('is bound to method, path, query, length and the headers of the contract', () => {
    const token = signCaller(edge, CALLER, CALL, [BODY]);
    expectRefused(token, { ...CALL, method: 'PUT' });
    expectRefused(token, { ...CALL, url: '/api/v1/external-order' });
    expectRefused(token, { ...CALL, url: '/api/v1/external-order?x=2' });
    for (const [name, value] of [
      ['content-length', '13'],
      ['content-length', undefined],
      ['transfer-encoding', 'chunked'],
      ['content-type', 'text/plain'],
      ['idempotency-key', 'b'],
      ['accept', 'text/csv'],
      ['if-match', '"1"'],
    ] as const)
      expectRefused(token, { ...CALL, headers: { ...CALL.headers, [name]: value } });
  });

  it('is bound to the bytes of a whole body, however they are split', () => {
    const pieces = [BODY.subarray(0, 3), BODY.subarray(3)];
    const signed = verifyCaller(core, signCaller(edge, CALLER, CALL, pieces), CALL);
    expect(() => verifyBody(signed, BODY)).not.toThrow();
    const refusal = expect.objectContaining({ code: 'unauthorized' });
    for (let at = 0; at < BODY.length; at++) {
      const changed = Buffer.from(BODY);
      changed[at] = changed.readUInt8(at) ^ 1;
      expect(() => verifyBody(signed, changed)).toThrow(refusal);
    }
    for (const other of [Buffer.alloc(0), BODY.subarray(1), Buffer.concat([BODY, Buffer.from(' ')])])
      expect(() => verifyBody(signed, other)).toThrow(refusal);
  });

  it('refuses a whole body under a token for a streamed one', () => {
    const streamed = verifyCaller(core, signCaller(edge, CALLER, CALL, null), CALL);
    expect(streamed.bodySha256).toBeNull();
    expect(() => verifyBody(streamed, BODY)).toThrow(Refused);
    expect(() => verifyBody(streamed, Buffer.alloc(0))).toThrow(Refused);
  });

  it.each([
    undefined,
    '',
    '.',
    '..',
    'x',
    'e30.',
    '.e30',
    'e30.e30',
    'bnVsbA.e30',
    `${'A'.repeat(100_000)}.A`,
  ])('refuses %p', (token) => expectRefused(token));

  it('refuses a token of which any single character was changed, left out or doubled', () => {
    const token = signCaller(edge, CALLER, CALL, [BODY]);
    for (let at = 0; at < token.length; at++) {
      const letter = token[at] ?? '';
      expectRefused(token.slice(0, at) + (letter === 'A' ? 'B' : 'A') + token.slice(at + 1));
      expectRefused(token.slice(0, at) + token.slice(at + 1));
      expectRefused(token.slice(0, at) + letter + token.slice(at));
    }
  });

  it('refuses a token with something after it', () => {
    const token = signCaller(edge, CALLER, CALL, [BODY]);
    for (const further of ['.', '.x', ' ', '=', '\n']) expectRefused(token + further);
  });

  it('refuses the claims of one token under the signature of another', () => {
    const [claims] = signCaller(edge, { ...CALLER, orgId: 'org-2' }, CALL, [BODY]).split('.');
    const [, signature] = signCaller(edge, CALLER, CALL, [BODY]).split('.');
    expectRefused(`${claims}.${signature}`);
  });

  it('refuses a sender that signed as another', () => {
    const [claims = ''] = signCaller(edge, CALLER, CALL, [BODY]).split('.');
    const atMs = (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { atMs: number }).atMs;
    const about = `${CALL.method} ${CALL.url}`;
    const forged = keysFor('catalog').sign('order-core', { about, atMs, bytes: claims });
    expectRefused(`${claims}.${forged}`);
  });

  it('lets a call start within five seconds before or after its signature time', () => {
    jest.useFakeTimers();
    const token = signCaller(edge, CALLER, CALL, [BODY]);
    jest.advanceTimersByTime(5_000);
    expect(verifyCaller(core, token, CALL).caller).toEqual(CALLER);
    jest.advanceTimersByTime(1);
    expect(() => verifyCaller(core, token, CALL)).toThrow(Unreachable);
    jest.setSystemTime(Date.now() - 10_002);
    expect(() => verifyCaller(core, token, CALL)).toThrow(Unreachable);
  });
});
