import { checkTargetUrl, MAX_URL_CHARACTERS } from './target-url';

const STRICT = { allowHttp: false, allowLoopback: false };
const LOCAL = { allowHttp: true, allowLoopback: true };

/** Ways to write an internal address; each must end as "refused", by the parser or by the policy. */
// prettier-ignore
const INTERNAL_HOSTS = [
  '127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '127.255.255.254', '2130706433', '2130706433.',
  '0x7f000001', '0X7F000001', '0x7f.1', '0x7f.0x0.0x0.0x1', '0177.0.0.1', '0177.1', '017700000001',
  '00000177.0.0.1', '127.0.0.0x1', '１２７.０.０.１', '127。0。0。1', '①②⑦.0.0.1', '%31%32%37.0.0.1', '0',
  '0.0.0.0', '0x0', '00', '10.0.0.1', '10.1', '0xa.1', '012.0.0.1', '167772161', '172.16.0.1',
  '172.31.255.255', '192.168.0.1', '192.168.257', '3232235521', '0xc0a80001', '100.64.0.1',
  '169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '168.63.129.16',
  '192.0.0.192', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1',
  '255.255.255.255', '4294967295', '[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::]', '[::127.0.0.1]',
  '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:7F00:0001]', '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::ffff:10.0.0.1]', '[::ffff:a9fe:a9fe]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a00:1]', '[64:ff9b:1::a00:1]', '[2002:7f00:1::]', '[2002:a00:1::1]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]', '[2001:db8::1]', '[fc00::1]', '[fd00:ec2::254]', '[fe80::1]',
  '[fe80::1%25eth0]', '[fe80::1%eth0]', '[::1%25lo]', '[fec0::1]', '[ff02::1]', '[100::1]', '[5f00::1]',
];

describe('checkTargetUrl', () => {
  it('knows at least 60 spellings of internal addresses', () => {
    expect(new Set(INTERNAL_HOSTS).size).toBeGreaterThanOrEqual(60);
  });

  it.each(INTERNAL_HOSTS)('refuses https://%s/', (host) => {
    expect(checkTargetUrl(`https://${host}/hook`, STRICT)).toMatchObject({ ok: false });
    expect(checkTargetUrl(`https://${host}:8443/hook`, STRICT)).toMatchObject({ ok: false });
  });

  it('allows of these only the loopback spellings where loopback is allowed', () => {
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
  ])('refuses %j and says why', (text, word) => {
    const check = checkTargetUrl(text, STRICT);
    expect(check).toEqual({ ok: false, reason: expect.stringContaining(word) });
  });

  it('takes http only where the configuration allows it', () => {
    expect(checkTargetUrl('http://example.com/', { ...STRICT, allowHttp: true })).toMatchObject({ ok: true });
    expect(checkTargetUrl('ftp://example.com/', { ...STRICT, allowHttp: true })).toMatchObject({ ok: false });
  });

  it('counts characters to the limit and no further', () => {
    const start = 'https://example.com/';
    const longest = start + 'a'.repeat(MAX_URL_CHARACTERS - start.length);
    expect(checkTargetUrl(longest, STRICT)).toMatchObject({ ok: true });
    expect(checkTargetUrl(`${longest}a`, STRICT)).toMatchObject({ ok: false });
  });

  it('never repeats the URL in its reason, for it may hold a password', () => {
    const check = checkTargetUrl('https://user:hunter2@example.com/', STRICT);
    expect(JSON.stringify(check)).not.toContain('hunter2');
  });
});
