import { isTotpCode, newRecoveryCodes, recoveryCodeHash, shownTotp, stepOfCode } from './second-factor-codes';
import { PasskeyAddress } from './passkeys';

/** Secret and code of RFC 6238, appendix B: 59 s are in step 1. */
const SECRET = Buffer.from('12345678901234567890');
const CODE = '287082';
const STEP_MS = 30_000;

it('takes a code in its own step and in the ones before and after', () => {
  expect(stepOfCode(SECRET, CODE, 59_000)).toBe(1);
  expect(stepOfCode(SECRET, CODE, 0)).toBe(1);
  expect(stepOfCode(SECRET, CODE, 59_000 + STEP_MS)).toBe(1);
});

it('refuses it two steps later, and every other text', () => {
  expect(stepOfCode(SECRET, CODE, 60_000 + STEP_MS)).toBeNull();
  for (const wrong of ['287083', '28708', '2870820', 'abcdef', '', '28 7082', '-87082'])
    expect([wrong, stepOfCode(SECRET, wrong, 59_000)]).toEqual([wrong, null]);
  expect(isTotpCode('abcde-fghjk')).toBe(false);
});

it('shows the secret as text and as the address of a QR code', () => {
  const { secret, uri } = shownTotp(SECRET, { issuer: 'Offizin', email: 'anna@apotheke.example' });
  expect(secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  const address = new URL(uri);
  expect(address.protocol + address.host).toBe('otpauth:totp');
  expect(decodeURIComponent(address.pathname)).toBe('/Offizin:anna@apotheke.example');
  expect(address.searchParams.get('secret')).toBe(secret);
});

const key = Buffer.alloc(32, 1);

it('makes codes that differ and are not the six digits of an app', () => {
  const codes = newRecoveryCodes(10);
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^[a-z2-9]{5}-[a-z2-9]{5}$/);
});

it('knows a code again however it is typed, of the same person only', () => {
  const hash = recoveryCodeHash(key, 'anna', 'abcde-fgh23');
  for (const typed of ['ABCDE-FGH23', 'abcdefgh23', ' abcde fgh23 '])
    expect(recoveryCodeHash(key, 'anna', typed)).toEqual(hash);
  expect(recoveryCodeHash(key, 'anna', 'abcde-fgh24')).not.toEqual(hash);
  expect(recoveryCodeHash(key, 'berta', 'abcde-fgh23')).not.toEqual(hash);
});

it.each([
  ['https://console.apotheke.example', 'console.apotheke.example'],
  ['https://apotheke.example:8443/', 'apotheke.example'],
  ['http://localhost:3000', 'localhost'],
  ['http://127.0.0.1:3000', null],
  ['http://[::1]:3000', null],
  ['https://192.168.2.10', null],
])('passkeys of %s belong to %p', (address, rpId) => {
  const place = new PasskeyAddress(address);
  expect(place.rpId).toBe(rpId);
  expect(place.origin).toBe(new URL(address).origin);
  if (rpId === null) expect(() => place.requireRpId()).toThrow('IP address');
  else expect(place.requireRpId()).toBe(rpId);
});
