import { createHmac } from 'node:crypto';
import type { Caller } from '@offizin/contracts/caller';
import { Refused, Unreachable } from '@offizin/contracts/errors';
import { CallerTokens } from './caller-token';

const SECRET = 's'.repeat(40);
const CALLER: Caller = {
  kind: 'key',
  orgId: 'org-1',
  shopId: null,
  actorId: 'key-1',
  scopes: ['orders.read'],
  requestId: 'request-1',
};
const tokens = new CallerTokens(SECRET);

function tokenOf(claims: object, secret = SECRET): string {
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${payload}.${createHmac('sha256', secret).update(payload).digest('base64url')}`;
}

function expectRefused(token: string | undefined): void {
  let thrown: unknown;
  try {
    tokens.verify(token);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(Refused);
  expect(thrown).toMatchObject({ code: 'unauthorized' });
}

afterEach(() => jest.useRealTimers());

it('gives back the caller that was signed, and nothing besides', () => {
  expect(tokens.verify(tokens.sign(CALLER))).toEqual(CALLER);
});

it('is taken by every process under the same secret, and by none under another', () => {
  expect(new CallerTokens(SECRET).verify(tokens.sign(CALLER))).toEqual(CALLER);
  expectRefused(new CallerTokens(`${SECRET}!`).sign(CALLER));
});

it.each([undefined, '', '.', '..', 'x', 'e30.', '.e30', 'e30.e30', 'null.null', `${'A'.repeat(100_000)}.A`])(
  'refuses %p',
  (token) => {
    expectRefused(token);
  },
);

it('lets a call begin within five seconds of being signed, and is good for 30 otherwise', () => {
  jest.useFakeTimers();
  const token = tokens.sign(CALLER);
  jest.advanceTimersByTime(5_000);
  expect(tokens.verifyToBegin(token)).toEqual(CALLER);
  jest.advanceTimersByTime(1);
  expect(() => tokens.verifyToBegin(token)).toThrow(Unreachable);
  expect(tokens.verify(token)).toEqual(CALLER);
  expect(() => tokens.verifyToBegin(`${token}x`)).toThrow(Refused);
});

it('refuses a token of which any single character was changed, left out or doubled', () => {
  const token = tokens.sign(CALLER);
  for (let at = 0; at < token.length; at++) {
    const letter = token[at] ?? '';
    expectRefused(token.slice(0, at) + (letter === 'A' ? 'B' : 'A') + token.slice(at + 1));
    expectRefused(token.slice(0, at) + token.slice(at + 1));
    expectRefused(token.slice(0, at) + letter + token.slice(at));
  }
});

it('refuses a token with something after it', () => {
  const token = tokens.sign(CALLER);
  for (const further of ['.', '.x', ' ', '=', '\n']) expectRefused(token + further);
});

it('refuses the claims of one token under the signature of another', () => {
  const [payload] = tokens.sign({ ...CALLER, orgId: 'org-2' }).split('.');
  const [, mac] = tokens.sign(CALLER).split('.');
  expectRefused(`${payload}.${mac}`);
});

it('refuses a token after its lifetime', () => {
  jest.useFakeTimers({ now: 1_000_000_000_000 });
  const token = tokens.sign(CALLER);
  jest.setSystemTime(1_000_000_000_000 + 34_999);
  expect(tokens.verify(token)).toEqual(CALLER);
  jest.setSystemTime(1_000_000_000_000 + 35_000);
  expectRefused(token);
});

it.each([{}, { expiresAtMs: null }, { expiresAtMs: 'soon' }, { expiresAtMs: {} }])(
  'refuses claims that never expire, even when they are signed: %p',
  (expiry) => {
    expectRefused(tokenOf({ ...CALLER, ...expiry }));
  },
);

it('accepts both secrets while the secret is changed, and signs with the first', () => {
  const next = 'n'.repeat(40);
  const accepting = new CallerTokens(`${SECRET},${next}`);
  const changed = new CallerTokens(`${next},${SECRET}`);
  expect(accepting.verify(changed.sign(CALLER))).toMatchObject(CALLER);
  expect(changed.verify(tokens.sign(CALLER))).toMatchObject(CALLER);
  expect(() => tokens.verify(changed.sign(CALLER))).toThrow(Refused);
});

const SEALED = { subject: 'a.b', atMs: Date.now(), bytes: Buffer.from('what is said') };

function expectSealRefused(sealed: typeof SEALED, seal: string, by = tokens): void {
  expect(() => by.verifySealToBegin(sealed, seal)).toThrow(Refused);
}

it('seals what is said to whom and when, and nothing else', () => {
  const sealed = { ...SEALED, atMs: Date.now() };
  const seal = tokens.seal(sealed);
  tokens.verifySealToBegin(sealed, seal);
  expectSealRefused({ ...sealed, subject: 'a.c' }, seal);
  expectSealRefused({ ...sealed, atMs: sealed.atMs + 1 }, seal);
  expectSealRefused({ ...sealed, bytes: Buffer.from('what is sai') }, seal);
  expectSealRefused({ ...sealed, subject: `a.b\n${sealed.atMs}`, bytes: Buffer.from('') }, seal);
  for (const other of ['', seal.slice(1), `${seal}x`, 'x'.repeat(43)]) expectSealRefused(sealed, other);
});

it('seals under a key of its own: what is signed is no seal, and what is sealed no token', () => {
  const payload = Buffer.from(JSON.stringify({ ...CALLER, expiresAtMs: Date.now() + 30_000 }));
  const bytes = Buffer.from(payload.toString('base64url'));
  expectRefused(`${bytes.toString()}.${tokens.seal({ subject: '', atMs: 0, bytes })}`);
  const sealed = { ...SEALED, atMs: Date.now() };
  const said = Buffer.concat([Buffer.from(`a.b\n${sealed.atMs}\n`), sealed.bytes]);
  expectSealRefused(sealed, createHmac('sha256', SECRET).update(said).digest('base64url'));
});

it('accepts seals of both secrets while the secret is changed', () => {
  const next = 'n'.repeat(40);
  const sealed = { ...SEALED, atMs: Date.now() };
  const changed = new CallerTokens(`${next},${SECRET}`);
  new CallerTokens(`${SECRET},${next}`).verifySealToBegin(sealed, changed.seal(sealed));
  changed.verifySealToBegin(sealed, tokens.seal(sealed));
  expectSealRefused(sealed, changed.seal(sealed));
});
