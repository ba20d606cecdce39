import {
  type AddressClass,
  checkTargetUrl,
  classifyAddress,
  isAllowedAddress,
  MAX_URL_CHARACTERS,
} from './address-policy';
import { INTERNAL_HOSTS } from './loopback-receiver';

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

  it.each(PUBLIC)('%s is public and allowed, even next to a special block', (address) => {
    expect(classifyAddress(address)).toBe('public');
    expect(isAllowedAddress(address, { allowLoopback: false })).toBe(true);
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
});

it('allows every address, but nothing else, where the operator set the host', () => {
  const policy = { allowLoopback: false, allowInternal: true };
  for (const ip of ['10.0.0.1', '127.0.0.1', '169.254.169.254', 'fd00::1', '8.8.8.8'])
    expect(isAllowedAddress(ip, policy)).toBe(true);
  for (const text of ['', '0x7f.1', 's3.example.org']) expect(isAllowedAddress(text, policy)).toBe(false);
});

const STRICT = { allowHttp: false, allowLoopback: false };
const LOCAL = { allowHttp: true, allowLoopback: true };

describe('checkTargetUrl', () => {
  it('has a list of at least 60 spellings of internal addresses', () => {
    expect(new Set(INTERNAL_HOSTS).size).toBeGreaterThanOrEqual(60);
  });

  it.each(INTERNAL_HOSTS)('refuses https://%s/', (host) => {
    expect(checkTargetUrl(`https://${host}/hook`, STRICT)).toMatchObject({ ok: false });
    expect(checkTargetUrl(`https://${host}:8443/hook`, STRICT)).toMatchObject({ ok: false });
  });

  it('allows only the loopback spellings of the list when loopback is allowed', () => {
    const allowed = INTERNAL_HOSTS.filter((host) => checkTargetUrl(`https://${host}/`, LOCAL).ok);
    const normalised = new Set(allowed.map((host) => new URL(`https://${host}/`).hostname));
    expect([...normalised].sort()).toEqual(['127.0.0.1', '127.255.255.254', '[::1]', '[::ffff:7f00:1]']);
  });

  it.each([
    'https://hooks.example.com/a?b=c',
    'https://example.com:8443/',
    'https://bücher.example/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://localhost/', // judged when it is resolved
  ])('accepts %s', (text) => {
    expect(checkTargetUrl(text, STRICT)).toEqual({ ok: true, url: new URL(text) });
  });

  it.each([
    ['http://example.com/', 'https://'],
    ['ftp://example.com/', 'https://'],
    ['file:///etc/passwd', 'https://'],
    ['gopher://example.com/', 'https://'],
    ['javascript:alert(1)', 'https://'],
    ['data:text/plain,hello', 'https://'],
    ['https://user@example.com/', 'password'],
    ['https://user:secret@example.com/', 'password'],
    ['https://:secret@example.com/', 'password'],
    ['https://exa\nmple.com/', 'control'],
    ['https://example.com/\r\nX-Injected: 1', 'control'],
    ['https://example.com/a b', 'spaces'],
    [' https://example.com/', 'spaces'],
    ['https://example.com/\u0000', 'control'],
    ['/relative', 'parsed'],
    ['', 'parsed'],
    ['https://', 'parsed'],
    ['https://example.com:99999/', 'parsed'],
    ['https://256.256.256.256/', 'parsed'],
  ])('refuses %j and states why', (text, word) => {
    const check = checkTargetUrl(text, STRICT);
    expect(check).toEqual({ ok: false, reason: expect.stringContaining(word) });
  });

  it('accepts http only when the configuration allows it', () => {
    expect(checkTargetUrl('http://example.com/', { ...STRICT, allowHttp: true })).toMatchObject({ ok: true });
    expect(checkTargetUrl('ftp://example.com/', { ...STRICT, allowHttp: true })).toMatchObject({ ok: false });
  });

  it('accepts a URL of exactly the maximum length and refuses a longer one', () => {
    const start = 'https://example.com/';
    const longest = start + 'a'.repeat(MAX_URL_CHARACTERS - start.length);
    expect(checkTargetUrl(longest, STRICT)).toMatchObject({ ok: true });
    expect(checkTargetUrl(`${longest}a`, STRICT)).toMatchObject({ ok: false });
  });

  it('never repeats the URL in its reason, because it may contain a password', () => {
    const check = checkTargetUrl('https://user:hunter2@example.com/', STRICT);
    expect(JSON.stringify(check)).not.toContain('hunter2');
  });
});
