import { isTotpCode, shownTotp, stepOfCode } from './totp';

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
