import { ownPage, verifiedEmailOf } from './sign-on';

it('takes an address only when the provider has verified it', () => {
  expect(verifiedEmailOf({ email: ' Ada@Apotheke.Example ', email_verified: true })).toBe(
    'ada@apotheke.example',
  );
  for (const email_verified of [false, 'true', 1, null, undefined])
    expect(verifiedEmailOf({ email: 'ada@apotheke.example', email_verified })).toBeNull();
  for (const email of ['', 5, null, undefined, ['a@b.example']])
    expect(verifiedEmailOf({ email, email_verified: true })).toBeNull();
});

it.each([
  ['composed', 'jo\u0308rg@apotheke.example', 'j\u00f6rg@apotheke.example'],
  ['in the usual width', '\uff41da@apotheke.example', 'ada@apotheke.example'],
  ['with other capitals as they are', '\u00c4DA@Apotheke.example', '\u00c4da@apotheke.example'],
])('compares an address %s', (_, email, compared) => {
  expect(verifiedEmailOf({ email, email_verified: true })).toBe(compared);
});

it.each([
  ['/console', '/console'],
  ['/console/requests?status=pending&q=a%20b', '/console/requests?status=pending&q=a%20b'],
  ['/console/a/../orders', '/console/orders'],
])('%s is a page of the console', (given, page) => {
  expect(ownPage(given)).toBe(page);
});

it.each([
  undefined,
  '',
  'console',
  '/',
  '/api/session',
  '/consoles',
  '//evil.example/console',
  '/console//evil.example',
  '/console/..//evil.example',
  '/console/../../evil.example',
  '/console\\..\\evil.example',
  '/\\evil.example',
  'https://evil.example/console',
  'javascript:alert(1)',
  '/console/\nrequests',
  '/console/requêtes',
  '/console/api/oidc/start?org=1',
  '/console/assets/a.js',
  '/console/sign-in',
  `/console/${'a'.repeat(1_000)}`,
])('%s is none: the first page instead', (given) => {
  expect(ownPage(given)).toBe('/console');
});
