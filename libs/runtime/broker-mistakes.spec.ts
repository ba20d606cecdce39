import { brokerMistakes } from './broker-mistakes';

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
