import { MAX_PARCEL_URL_LENGTH, parcelUrlOf, trackingNumberOf } from './parcels';

const PAGE = 'https://track.example.com/';

describe('the number of a parcel', () => {
  it.each([
    ['0034 0434 1610 9404 2557', '00340434161094042557'],
    [' 1z999aa10123456784\n', '1Z999AA10123456784'],
    ['JJD-00039\u00a00007827\u202f012345', 'JJD-000390007827012345'],
    ['abcd', 'ABCD'],
    ['7'.repeat(40), '7'.repeat(40)],
    [`${'7 '.repeat(39)}7`, '7'.repeat(40)],
  ])('%j is stored as %s', (text, number) => {
    expect(trackingNumberOf(text)).toBe(number);
    expect(trackingNumberOf(number)).toBe(number);
  });

  it.each([
    ['empty', ''],
    ['of blanks', ' \t '],
    ['of 3 characters', 'a b c'],
    ['of 41 characters', '7'.repeat(41)],
    ['of 300 characters', '7'.repeat(300)],
    ['of 4 digits with 300 blanks', `1${' '.repeat(300)}234`],
    ['with a character that has capitals in ASCII', 'STRAßE1'],
    ['with a letter that folds to an ASCII one', '1234\u212a'],
    ['with digits of another script', '١٢٣٤٥'],
    ['with a slash', '1234/5'],
    ['with a dot', '1234.5'],
    ['with an underscore', '1234_5'],
    ['with a control character', '1234\u0000'],
    ['with an invisible character', '1234\u200b5'],
    ['of a script', '<script>'],
  ])('a text %s is none', (_, text) => {
    expect(trackingNumberOf(text)).toBeNull();
  });
});

describe('the URL of a parcel', () => {
  it.each([
    [`${PAGE}p?n=7`, `${PAGE}p?n=7`],
    ['HTTPS://Track.Example.COM:8443/a#b', 'https://track.example.com:8443/a#b'],
    ['https://kurier-köln.de/größe', 'https://xn--kurier-kln-lcb.de/gr%C3%B6%C3%9Fe'],
    ['https://a.b.example.org./x', 'https://a.b.example.org./x'],
    ['https://localhost.example.org/', 'https://localhost.example.org/'],
  ])('%s is stored as %s', (text, url) => {
    expect(parcelUrlOf(text)).toBe(url);
    expect(parcelUrlOf(url)).toBe(url);
  });

  it.each([
    ['not a URL', 'track me'],
    ['empty', ''],
    ['of 5,000 characters', PAGE + 'x'.repeat(5_000)],
    ['longer when it is encoded', PAGE + 'ß'.repeat(200)],
    ['of a script', 'javascript:alert(1)'],
    ['of data', 'data:text/html,x'],
    ['without TLS', 'http://track.example.com/'],
    ['without a host', 'https:///'],
    ['relative', '//track.example.com/'],
    ['with a user', 'https://me@track.example.com/'],
    ['with a password', 'https://track.example.com:x@evil.example.com/'],
    ['with a blank', 'https://track.example.com/a b'],
    ['with a line break that the parser drops', 'https://track.exam\nple.com/'],
    ['with a backslash', 'https://track.example.com\\@evil.example.com/'],
    ['with a direction mark', 'https://track.example.com/\u202egnp.exe'],
    ['an IPv4 address', 'https://93.184.216.34/'],
    ['loopback', 'https://127.0.0.1/'],
    ['loopback in short', 'https://127.1/'],
    ['loopback as a number', 'https://2130706433/'],
    ['loopback in hexadecimal', 'https://0x7f.0.0.1/'],
    ['loopback in full-width digits', 'https://１２７.0.0.1/'],
    ['an IPv6 address', 'https://[2606:2800:220:1::1]/'],
    ['IPv6 loopback', 'https://[::1]/'],
    ['the metadata of a cloud', 'https://169.254.169.254/latest'],
    ['localhost', 'https://localhost/'],
    ['localhost with a dot', 'https://localhost./'],
    ['a name below localhost', 'https://parcels.localhost/'],
    ['a name without a dot', 'https://intranet/'],
    ['a name of this network', 'https://erp.local/'],
    ['a name of a router', 'https://erp.home.arpa/'],
    ['an internal name', 'https://metadata.google.internal/'],
    ['an empty label', 'https://a..com/'],
  ])('%s is none', (_, text) => {
    expect(parcelUrlOf(text)).toBeNull();
  });

  it('has at most 500 characters', () => {
    const path = (length: number) => PAGE + 'x'.repeat(length - PAGE.length);
    expect(parcelUrlOf(path(MAX_PARCEL_URL_LENGTH))).toHaveLength(MAX_PARCEL_URL_LENGTH);
    expect(parcelUrlOf(path(MAX_PARCEL_URL_LENGTH + 1))).toBeNull();
  });
});
