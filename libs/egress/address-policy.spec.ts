import { type AddressClass, classifyAddress, isAllowedAddress } from './address-policy';

const EXPECTED: readonly [string, AddressClass][] = [
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'reserved'],
  ['10.0.0.1', 'private'],
  ['100.64.0.1', 'carrier_grade_nat'],
  ['100.100.100.200', 'carrier_grade_nat'],
  ['100.127.255.255', 'carrier_grade_nat'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['168.63.129.16', 'cloud_internal'],
  ['169.254.169.254', 'link_local'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.192', 'protocol_assignment'],
  ['192.0.2.1', 'documentation'],
  ['192.31.196.1', 'protocol_assignment'],
  ['192.52.193.1', 'protocol_assignment'],
  ['192.88.99.1', 'transition'],
  ['192.168.1.1', 'private'],
  ['192.175.48.6', 'protocol_assignment'],
  ['198.18.0.1', 'benchmarking'],
  ['198.19.255.255', 'benchmarking'],
  ['198.51.100.7', 'documentation'],
  ['203.0.113.7', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['::2', 'reserved'],
  ['::127.0.0.1', 'reserved'],
  ['::8.8.8.8', 'reserved'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['::ffff:10.0.0.1', 'private'],
  ['::ffff:169.254.169.254', 'link_local'],
  ['::ffff:0:127.0.0.1', 'reserved'],
  ['64:ff9b::127.0.0.1', 'transition'],
  ['64:ff9b::10.0.0.1', 'transition'],
  ['64:ff9b:1::8.8.8.8', 'transition'],
  ['100::1', 'reserved'],
  ['2001::1', 'transition'],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'transition'],
  ['2001:2::1', 'benchmarking'],
  ['2001:10::1', 'protocol_assignment'],
  ['2001:20::1', 'protocol_assignment'],
  ['2001:1ff::1', 'protocol_assignment'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', 'transition'],
  ['2002:808:808::1', 'transition'],
  ['2620:4f:8000::1', 'protocol_assignment'],
  ['3fff::1', 'documentation'],
  ['4000::1', 'reserved'],
  ['5f00::1', 'reserved'],
  ['fc00::1', 'unique_local'],
  ['fd00:ec2::254', 'unique_local'],
  ['fe80::1', 'link_local'],
  ['fe80::1%eth0', 'link_local'],
  ['2606:4700::1%eth0', 'link_local'],
  ['fec0::1', 'private'],
  ['ff02::1', 'multicast'],
  ['0177.0.0.1', 'not_an_address'],
  ['127.1', 'not_an_address'],
  ['2130706433', 'not_an_address'],
  ['[::1]', 'not_an_address'],
  ['localhost', 'not_an_address'],
  ['', 'not_an_address'],
];

const PUBLIC = [
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.17',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450::1',
];

describe('classifyAddress', () => {
  it.each(EXPECTED)('%s is %s', (address, addressClass) => {
    expect(classifyAddress(address)).toBe(addressClass);
  });

  it.each(PUBLIC)('%s is public, even next to a special block', (address) => {
    expect(classifyAddress(address)).toBe('public');
  });
});

describe('isAllowedAddress', () => {
  it('refuses everything that is not public', () => {
    const allowed = EXPECTED.filter(([address]) => isAllowedAddress(address, { allowLoopback: false }));
    expect(allowed).toEqual([]);
  });

  it('allows exactly the loopback forms when loopback is allowed', () => {
    const allowed = EXPECTED.filter(([address]) => isAllowedAddress(address, { allowLoopback: true }));
    expect(allowed.map(([address]) => address)).toEqual([
      '127.0.0.1',
      '127.255.255.254',
      '::1',
      '0:0:0:0:0:0:0:1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
    ]);
  });

  it.each(PUBLIC)('allows %s', (address) => {
    expect(isAllowedAddress(address, { allowLoopback: false })).toBe(true);
  });
});

it('allows every address, but nothing else, where the operator set the host', () => {
  const policy = { allowLoopback: false, allowInternal: true };
  for (const ip of ['10.0.0.1', '127.0.0.1', '169.254.169.254', 'fd00::1', '8.8.8.8'])
    expect(isAllowedAddress(ip, policy)).toBe(true);
  for (const text of ['', '0x7f.1', 's3.example.org']) expect(isAllowedAddress(text, policy)).toBe(false);
});
