import { PasskeyAddress } from './passkey-address';

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
