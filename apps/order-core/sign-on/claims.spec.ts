import { isFreshSignIn, verifiedEmailOf } from './claims';

it('takes an address only when the provider has verified it', () => {
  expect(verifiedEmailOf({ email: ' Ada@Apotheke.Example ', email_verified: true })).toBe(
    'ada@apotheke.example',
  );
  for (const email_verified of [false, 'true', 1, null, undefined])
    expect(verifiedEmailOf({ email: 'ada@apotheke.example', email_verified })).toBeNull();
  for (const email of ['', 5, null, undefined, ['a@b.example']])
    expect(verifiedEmailOf({ email, email_verified: true })).toBeNull();
});

it('counts a sign-in at the provider as fresh only since the start, clocks apart by half a minute', () => {
  const startedAt = new Date('2026-11-25T12:00:00Z');
  const start = startedAt.getTime() / 1_000;
  const nowMs = (start + 60) * 1_000;
  for (const auth_time of [start - 30, start, start + 60, start + 90])
    expect(isFreshSignIn({ auth_time }, startedAt, nowMs)).toBe(true);
  for (const auth_time of [start - 31, start + 91, 0, NaN, String(start), null, undefined])
    expect(isFreshSignIn({ auth_time }, startedAt, nowMs)).toBe(false);
});
