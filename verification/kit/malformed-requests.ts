/** Target of malformed requests: a path that accepts a POST, and all headers of a valid one, including `Host`. */
export interface MalformedTarget {
  path: string;
  headers: string[];
}

export interface MalformedRequest {
  name: string;
  bytes: (to: MalformedTarget) => string;
  /** Status and code of its one answer. */
  expected: '400 invalid_request' | '405 method_not_allowed' | '413 payload_too_large';
}

const HEAD_BYTES = 40_000;
const LONG = 'x'.repeat(HEAD_BYTES);

function request(line: string, headers: string[], body = ''): string {
  return `${[line, ...headers].join('\r\n')}\r\n\r\n${body}`;
}

const invalid = (name: string, bytes: MalformedRequest['bytes']): MalformedRequest => ({
  name,
  bytes,
  expected: '400 invalid_request',
});

const withLine = (name: string, line: string): MalformedRequest =>
  invalid(name, ({ headers }) => request(line, headers));

const withHeaders = (name: string, ...added: string[]): MalformedRequest =>
  invalid(name, ({ path, headers }) => request(`GET ${path} HTTP/1.1`, [...headers, ...added]));

const withBody = (name: string, added: string[], body: string): MalformedRequest =>
  invalid(name, ({ path, headers }) =>
    request(`POST ${path} HTTP/1.1`, [...headers, 'Content-Type: application/json', ...added], body),
  );

const CHUNKED = ['Transfer-Encoding: chunked'];
const withoutHost = (headers: string[]): string[] => headers.filter((header) => !/^host:/i.test(header));
const tooLarge = (name: string, bytes: MalformedRequest['bytes']): MalformedRequest => ({
  ...invalid(name, bytes),
  expected: '413 payload_too_large',
});
const connectTo = (name: string, line: string): MalformedRequest => ({
  ...withLine(name, line),
  expected: '405 method_not_allowed',
});

/** Requests that no HTTP client sends. Each gets one answer in the contract's shape; then the connection ends. */
export const MALFORMED_REQUESTS: readonly MalformedRequest[] = [
  ...['[::1', 'a%zz', 'a:99999', ''].map((authority) =>
    invalid(`the authority "${authority}" in the target`, ({ path, headers }) =>
      request(`GET http://${authority}${path} HTTP/1.1`, headers),
    ),
  ),
  invalid('no Host', ({ path, headers }) => request(`GET ${path} HTTP/1.1`, withoutHost(headers))),
  invalid('no header', ({ path }) => request(`GET ${path} HTTP/1.1`, [])),
  withHeaders('two Hosts', 'Host: other'),
  withHeaders('three Hosts in odd letters', 'hOST: a', 'HOST: b'),
  withHeaders('an odd Expect', 'Expect: 200-ok'),
  withHeaders('an Expect with two members', 'Expect: 100-continue, 102-processing'),
  withBody('a length behind chunks', [...CHUNKED, 'Content-Length: 2'], '2\r\n{}\r\n0\r\n\r\n'),
  withBody('chunks behind a length', ['Content-Length: 2', ...CHUNKED], '2\r\n{}\r\n0\r\n\r\n'),
  withBody('two lengths', ['Content-Length: 2', 'Content-Length: 3'], '{}}'),
  withBody('a negative length', ['Content-Length: -2'], '{}'),
  withBody('a length in words', ['Content-Length: two'], '{}'),
  withBody('a length with a fraction', ['Content-Length: 2.0'], '{}'),
  withBody('a list of lengths', ['Content-Length: 2, 2'], '{}'),
  withBody('a length beyond 64 bits', [`Content-Length: ${'9'.repeat(30)}`], '{}'),
  withBody('an encoding that is not chunked', ['Transfer-Encoding: gzip'], '{}'),
  withBody('chunked that is not the last encoding', ['Transfer-Encoding: chunked, gzip'], '{}'),
  withBody('a chunk without a size', CHUNKED, 'zz\r\n{}\r\n'),
  withBody('a chunk of a negative size', CHUNKED, '-2\r\n{}\r\n'),
  withBody('a chunk that is longer than its size', CHUNKED, '2\r\n{}}}\r\n0\r\n\r\n'),
  withBody('a chunk size beyond 64 bits', CHUNKED, `${'f'.repeat(20)}\r\n{}\r\n`),
  withBody('a second chunk that is none', CHUNKED, '2\r\n{}\r\nno size\r\n'),
  withBody('a trailer without a colon', CHUNKED, '2\r\n{}\r\n0\r\nnothing\r\n\r\n'),
  tooLarge('a header of 40 KB', ({ path, headers }) =>
    request(`GET ${path} HTTP/1.1`, [...headers, `X-Long: ${LONG}`]),
  ),
  tooLarge('a header name of 40 KB', ({ path, headers }) =>
    request(`GET ${path} HTTP/1.1`, [...headers, `${LONG}: x`]),
  ),
  tooLarge('4,000 headers', ({ path, headers }) =>
    request(`GET ${path} HTTP/1.1`, [...headers, ...Array<string>(4_000).fill('X-Many: y')]),
  ),
  tooLarge('an address of 40 KB', ({ headers }) => request(`GET /${LONG} HTTP/1.1`, headers)),
  withLine('an unknown method', 'BREW /nothing HTTP/1.1'),
  withLine('a method in small letters', 'get /nothing HTTP/1.1'),
  withLine('a method of HTTP/2 only', 'PRI /nothing HTTP/1.1'),
  withLine('no address', 'GET HTTP/1.1'),
  withLine('no version', 'GET /nothing'),
  withLine('HTTP/0.9', 'GET /nothing HTTP/0.9'),
  withLine('HTTP/2.0', 'GET /nothing HTTP/2.0'),
  withLine('HTTP/3.0', 'GET /nothing HTTP/3.0'),
  withLine('HTTP/1.2', 'GET /nothing HTTP/1.2'),
  withLine('a version without numbers', 'GET /nothing HTTP/one'),
  withLine('another protocol', 'GET /nothing ICE/1.0'),
  withLine('a space in the address', 'GET /no thing HTTP/1.1'),
  withLine('a control character in the address', 'GET /no\u0001thing HTTP/1.1'),
  withLine('a NUL in the address', 'GET /no\u0000thing HTTP/1.1'),
  withLine('an empty line and a colon', ': HTTP/1.1'),
  withHeaders('a header without a colon', 'nothing'),
  withHeaders('a header without a name', ': nothing'),
  withHeaders('a space in the name of a header', 'X Odd: y'),
  withHeaders('a space before the colon', 'X-Odd : y'),
  withHeaders('a NUL in a header', 'X-Odd: a\u0000b'),
  withHeaders('a lone carriage return in a header', 'X-Odd: a\rb: c'),
  invalid('a continued line as the first header', ({ path, headers }) =>
    request(`GET ${path} HTTP/1.1`, [' folded', ...headers]),
  ),
  invalid('the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  invalid('a TLS handshake', () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003abc'),
  invalid('a greeting of SSH', () => 'SSH-2.0-OpenSSH_9.2p1\r\n'),
  invalid('zeros', () => '\u0000'.repeat(64)),
  connectTo('CONNECT', 'CONNECT example.org:443 HTTP/1.1'),
  connectTo('CONNECT without a port', 'CONNECT example.org HTTP/1.1'),
];
