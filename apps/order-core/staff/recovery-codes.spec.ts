import { newRecoveryCodes, recoveryCodeHash } from './recovery-codes';

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
