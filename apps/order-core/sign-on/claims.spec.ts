import { verifiedEmailOf } from './claims';

it('takes an address only when the provider has verified it', () => {
  expect(verifiedEmailOf({ email: ' Ada@Apotheke.Example ', email_verified: true })).toBe(
    'ada@apotheke.example',
  );
  for (const email_verified of [false, 'true', 1, null, undefined])
    expect(verifiedEmailOf({ email: 'ada@apotheke.example', email_verified })).toBeNull();
  for (const email of ['', 5, null, undefined, ['a@b.example']])
    expect(verifiedEmailOf({ email, email_verified: true })).toBeNull();
});
