import { INTERNAL_HOSTS } from './loopback-dns';
import { checkTargetUrl, MAX_URL_CHARACTERS } from './target-url';

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
  ])('refuses %j and says why', (text, word) => {
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
