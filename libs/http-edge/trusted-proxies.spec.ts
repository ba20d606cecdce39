import { networkOf } from './trusted-proxies';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2:ffff::1', '2001:db8:1:2'],
  ['unknown', 'unknown'],
])('the address %s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
