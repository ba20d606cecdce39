import { underOwnName } from './loopback-name';

it('leads from another name of this machine to the own one', () => {
  const own = 'http://127.0.0.1:3000';
  expect(underOwnName('localhost:3000', '/console/requests?id=x', own)).toBe(`${own}/console/requests?id=x`);
  expect(underOwnName('[::1]:3000', '/console', own)).toBe(`${own}/console`);
  expect(underOwnName('127.0.0.1', '/console', 'http://localhost')).toBe('http://localhost/console');
});

it.each([
  ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ['localhost:4000', 'http://127.0.0.1:3000'],
  ['evil.example', 'http://127.0.0.1:3000'],
  ['localhost:3000', 'https://console.apotheke.example'],
  [undefined, 'http://127.0.0.1:3000'],
])('leaves %p at %s alone', (host, own) => {
  expect(underOwnName(host, '/console', own)).toBeNull();
});
