import { createHash } from 'node:crypto';
import type { Caller } from '@offizin/contracts/caller';
import { Refused, Unreachable } from '@offizin/contracts/errors';
import { keysFor } from '@offizin/testkit/call-keys';
import { type HttpCall, signCaller, verifyBody, verifyCaller } from './caller-token';

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
  expect(verifyBody(signed, BODY)).toEqual(createHash('sha256').update(BODY).digest());
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

it.each([undefined, '', '.', '..', 'x', 'e30.', '.e30', 'e30.e30', 'bnVsbA.e30', `${'A'.repeat(100_000)}.A`])(
  'refuses %p',
  (token) => expectRefused(token),
);

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
