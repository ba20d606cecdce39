import { brokerMistakes, loginOf } from './broker-settings';

it.each([
  ['one password', 'p1', 'catalog', 'p1'],
  ['one of the second user', 'catalog-2:p2', 'catalog-2', 'p2'],
  ['two, the old one first', 'p1,catalog-2:p2', 'catalog', 'p1'],
  ['two, the new one first', 'catalog-2:p2,p1', 'catalog-2', 'p2'],
  ['a password with the separators in it', 'a,b:c', 'catalog', 'a,b:c'],
  ['a password that names another user', 'order-core-2:p', 'catalog', 'order-core-2:p'],
  ['none', '', 'catalog', ''],
])('signs in with %s', (_what, passwords, user, pass) => {
  expect(loginOf('catalog', passwords)).toEqual({ user, pass });
});

const CA = '/run/certificates/ca.crt';

it.each([
  ['plain text', 'nats://nats:4222', ''],
  ['TLS by the authorities of Node.js', 'tls://nats.example.org:4222', ''],
  ['TLS by an authority of its own', 'tls://nats:4222', CA],
  ['TLS to three servers', 'tls://nats-0:4222,tls://nats-1:4222,tls://nats-2:4222', CA],
])('accepts %s', (_what, natsUrl, natsTlsCaFile) => {
  expect(brokerMistakes({ natsUrl, natsTlsCaFile })).toEqual([]);
});

it.each([
  ['an authority without TLS', 'nats://nats:4222', CA, 'nothing would be encrypted'],
  ['no protocol, which is plain text', 'nats:4222', CA, 'nothing would be encrypted'],
  ['TLS to some servers', 'tls://nats-0:4222,nats://nats-1:4222', CA, 'NATS_URL mixes tls://'],
  ['TLS in capitals, which would be plain text', 'TLS://nats:4222', '', 'small letters'],
  ['a space before TLS, which would be plain text', 'nats://a:4222, tls://b:4222', '', 'small letters'],
  ['TLS to an address', 'tls://10.0.0.5:4222', CA, 'NATS_URL names 10.0.0.5 by its address'],
  ['TLS to an address of IPv6', 'tls://[::1]:4222', '', 'NATS_URL names ::1 by its address'],
])('refuses %s', (_what, natsUrl, natsTlsCaFile, mistake) => {
  expect(brokerMistakes({ natsUrl, natsTlsCaFile })).toEqual([expect.stringContaining(mistake)]);
});
