/** Values that no field may accept, as JSON text or as bytes where a text could not express them. */
export type Hostile = string | Buffer;

/** Invalid anywhere in a body. */
export const HOSTILE_ANYWHERE: Record<string, Hostile> = {
  'an escaped NUL': '"a\\u0000b"',
  'a raw NUL': '"a\0b"',
  'a raw line break': '"a\nb"',
  'a lone high surrogate': '"\\ud800"',
  'a lone low surrogate': '"a\\udc00"',
  'surrogates in the wrong order': '"\\udc00\\ud800"',
  'invalid UTF-8': quoted(0xff, 0xfe),
  'UTF-8 that is cut off': quoted(0xc3),
  'an overlong slash': quoted(0xc0, 0xaf),
  'a surrogate in UTF-8': quoted(0xed, 0xa0, 0x80),
  '1e400': '1e400',
  '-1e400': '-1e400',
  NaN: 'NaN',
  Infinity: 'Infinity',
  'a number with a leading zero': '012',
  'a hexadecimal number': '0x10',
  'a duplicate key': '{"a": 1, "a": 2}',
  'a duplicate key, once escaped': '{"a": 1, "\\u0061": 2}',
  __proto__: '{"__proto__": {"isAdmin": true}}',
  '__proto__, escaped': '{"\\u005f_proto__": {"isAdmin": true}}',
  constructor: '{"constructor": {"prototype": {"isAdmin": true}}}',
};

export const HOSTILE_TEXT: Record<string, Hostile> = {
  'a number for a text': '1',
  'a list for a text': '["a"]',
  'an object for a text': '{"$ne": null}',
  'a text of 20,001 characters': JSON.stringify('a'.repeat(20_001)),
};

export const HOSTILE_NUMBER: Record<string, Hostile> = {
  '1e308': '1e308',
  '2^53 + 1': '9007199254740993',
  '2^63': '9223372036854775808',
  'a third decimal': '1.005',
  'a number below zero': '-0.01',
  'a number in a text': '"1"',
  'a truth': 'true',
};

export const HOSTILE_TIME: Record<string, Hostile> = {
  'February 30': '"2026-02-30T00:00:00Z"',
  'February 29 of a common year': '"2026-02-29T12:00:00Z"',
  'hour 24': '"2026-01-01T24:00:00Z"',
  'month 13': '"2026-13-01T00:00:00Z"',
  'a year of six digits': '"+275760-09-13T00:00:00Z"',
  'no offset': '"2026-01-01T00:00:00"',
  infinity: '"infinity"',
  'a number': '1767225600',
};

export const HOSTILE_OBJECT: Record<string, Hostile> = {
  'a list for an object': '[]',
  'a text for an object': '"{}"',
};

/** Ids and filters, percent-encoded for a URL. */
export const HOSTILE_IN_ADDRESS = [
  '%00',
  'a%00b',
  '%ff',
  '%c0%af',
  '%ed%a0%80',
  '%f0%9f%98',
  '%0d%0aX-Injected:%201',
  "'%20OR%201=1;%20--",
  "'%3bDROP%20TABLE%20core.orders;--",
  '%24%7b7*7%7d',
  '%25',
  '_',
  '%5c',
  '$1',
  '*',
  '%3e',
  'rpc.%3e',
  'events.*.%3e',
  '$SYS.%3e',
  '%20',
  '..%2f..%2fetc%2fpasswd',
  '%252e%252e',
  '__proto__',
  'constructor',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e308',
  '9007199254740993',
  '1e400',
  '00000000-0000-0000-0000-000000000000',
  '{}',
  '[]',
  'a'.repeat(300),
  '%F0%9F%92%8A',
];

/** Texts that look like attacks but are valid: stored and returned unchanged. */
export const INNOCENT_TEXTS = [
  "Robert'); DROP TABLE core.orders;--",
  "' OR '1'='1",
  '$1 :name ? %s %n {0} #{7*7} {{7*7}}',
  '\\ \\\\ \\n \\u0000 /* x */ -- ; `id` $(id) | & >',
  'orders.> *.> $SYS.REQ.> rpc.*.v1',
  '<script>alert(1)</script> &lt; &amp; "quoted"',
  '%00 %25 %27 ..%2f ../../etc/passwd',
  '=HYPERLINK("http://example.org") @SUM(1) +1 -1',
  '__proto__ constructor toString hasOwnProperty null undefined',
  'Ärztin ﷽ 𝒳 👩‍⚕️ e\u0301 é \u200b\u202e\ufeff İi ß ẞ',
  '  spaces before and behind \t',
];

function quoted(...bytes: number[]): Buffer {
  return Buffer.concat([Buffer.from('"a'), Buffer.from(bytes), Buffer.from('"')]);
}
