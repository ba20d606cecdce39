import { createPrivateKey } from 'node:crypto';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { createServer, request, type RequestListener, type Server } from 'node:http';
import { listenOnLoopback } from '@offizin/testkit/loopback';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { EgressFailure, EgressRefused } from './failure';
import { guardedAgent, type GuardedAgentOptions, GuardedSockets, type Lookup } from './guarded-agent';
import {
  closeReceivers,
  egressWith,
  httpReceiver,
  listen,
  LOCAL,
  rawReceiver,
  type Receiver,
} from './loopback-receiver';

/** For receiver.test only, not trusted anywhere. DER, so that secret scanners do not report it. */
const TEST_KEY = createPrivateKey({
  key: Buffer.from(
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmpmQDrmuMUV4Ux4VMRe4Bsw6U1ofQ03/NEYpPf0QjVqh' +
      'RANCAAQjhm47qK9N4DMJcmxc3lE9rEIFy8XGuO+gvii1UKV/eBTjTvOGJnoSh6fkIBzseRikLGpFKwJgeGxdQ+xxARed',
    'base64',
  ),
  format: 'der',
  type: 'pkcs8',
}).export({ format: 'pem', type: 'pkcs8' });
const TEST_CERTIFICATE = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBoDCCAUegAwIBAgIUdiqtdYwRb5jebdt5ayso8cKGjecwCgYIKoZIzj0EAwIw',
  'GDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDAgFw0yNjExMjExMTEyMDZaGA8yMTI2',
  'MTAyODExMTIwNlowGDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDBZMBMGByqGSM49',
  'AgEGCCqGSM49AwEHA0IABCOGbjuor03gMwlybFzeUT2sQgXLxca476C+KLVQpX94',
  'FONO84YmehKHp+QgHOx5GKQsakUrAmB4bF1D7HEBF52jbTBrMB0GA1UdDgQWBBSZ',
  'NcC2uAGOSd43UForZYx4hALPGTAfBgNVHSMEGDAWgBSZNcC2uAGOSd43UForZYx4',
  'hALPGTAPBgNVHRMBAf8EBTADAQH/MBgGA1UdEQQRMA+CDXJlY2VpdmVyLnRlc3Qw',
  'CgYIKoZIzj0EAwIDRwAwRAIgC9vXwNdg7YVnIlFfd1uwkDwYS37v6mfihy0bnBIg',
  '44UCICCuO9XvCEDW6JYBN4IfgCbz1QPfeH/YNJRwJrDZsMKG',
  '-----END CERTIFICATE-----',
].join('\n');

afterEach(closeReceivers);

function httpCanary(host = '0.0.0.0'): Promise<Receiver> {
  return httpReceiver((_request, response) => void response.end('ok'), host);
}

async function get(origin: string, options: Partial<GuardedAgentOptions>): Promise<unknown> {
  const agent = guardedAgent({ allowLoopback: false, ...options });
  try {
    const answer = await agent.request({ origin, path: '/', method: 'GET' });
    await answer.body.dump();
    return answer.statusCode;
  } catch (error) {
    return error;
  } finally {
    await agent.destroy();
  }
}

function answering(...answers: string[][]): Lookup & { calls: string[] } {
  const calls: string[] = [];
  const lookup = (hostname: string): Promise<string[]> => {
    calls.push(hostname);
    return Promise.resolve(answers[Math.min(calls.length, answers.length) - 1] ?? []);
  };
  return Object.assign(lookup, { calls });
}

describe('a literal address', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.0.0.1.',
    '0.0.0.0',
    '0',
    '127.8.8.8',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::]',
  ])('%s is refused by the connector itself, and the canary sees no connection', async (host) => {
    const canary = await httpCanary();
    expect(await get(`http://${host}:${canary.port}`, {})).toBeInstanceOf(EgressRefused);
    expect(canary.connections).toBe(0);
  });

  it('of loopback is reached where loopback is allowed, the unspecified address still is not', async () => {
    const canary = await httpCanary();
    expect(await get(`http://127.0.0.1:${canary.port}`, { allowLoopback: true })).toBe(200);
    expect(await get(`http://[::ffff:127.0.0.1]:${canary.port}`, { allowLoopback: true })).toBe(200);
    expect(await get(`http://0.0.0.0:${canary.port}`, { allowLoopback: true })).toBeInstanceOf(EgressRefused);
    expect(canary.connections).toBe(2);
  });
});

describe('a name', () => {
  it.each([
    ['the metadata service', ['169.254.169.254']],
    ['an address with a zone', ['fe80::1%lo']],
    ['something that is not an address', ['localhost']],
  ])('that resolves to %s is refused', async (_what, addresses) => {
    const canary = await httpCanary();
    const outcome = await get(`http://receiver.test:${canary.port}`, { lookup: answering(addresses) });
    expect(outcome).toBeInstanceOf(EgressRefused);
    expect(canary.connections).toBe(0);
  });

  it('"localhost" is refused through the system resolver, and reached where loopback is allowed', async () => {
    const canary = await httpCanary();
    expect(await get(`http://localhost:${canary.port}`, {})).toBeInstanceOf(EgressRefused);
    expect(canary.connections).toBe(0);
    expect(await get(`http://localhost:${canary.port}`, { allowLoopback: true })).toBe(200);
  });

  it('with several allowed addresses is reached on one that answers', async () => {
    const canary = await httpCanary('127.0.0.1');
    const lookup = answering(['127.9.9.9', '127.0.0.1']);
    expect(await get(`http://receiver.test:${canary.port}`, { lookup, allowLoopback: true })).toBe(200);
  });

  it('without an address, with a failing or with a silent resolver fails as "dns"', async () => {
    const failing = (): Promise<string[]> =>
      Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    const silent = (): Promise<string[]> => new Promise(() => undefined);
    expect(await get('http://receiver.test', { lookup: answering([]) })).toMatchObject({ kind: 'dns' });
    expect(await get('http://receiver.test', { lookup: failing })).toMatchObject({
      kind: 'dns',
      message: 'The host name could not be resolved (ENOTFOUND).',
    });
    expect(await get('http://receiver.test', { lookup: silent, connectTimeoutMs: 100 })).toMatchObject({
      kind: 'dns',
    });
  });

  it('is resolved once for concurrent connections', async () => {
    const canary = await httpCanary();
    const lookup = answering(['127.0.0.1']);
    const egress = egressWith({ ...LOCAL, lookup });
    const url = `http://receiver.test:${canary.port}/`;
    const send = (): Promise<unknown> =>
      egress.send({ url, method: 'GET', headers: {}, timeoutMs: 5_000, maxResponseBytes: 10 });
    await Promise.all([send(), send(), send(), send()]);
    expect(canary.connections).toBe(4);
    expect(lookup.calls).toHaveLength(1);
  });
});

describe('https', () => {
  async function secureReceiver(): Promise<Receiver> {
    return listen(
      createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (_request, response) => response.end('ok')),
    );
  }
  const trusted = {
    lookup: answering(['127.0.0.1']),
    allowLoopback: true,
    certificateAuthorities: TEST_CERTIFICATE,
  };

  it('verifies the certificate against the real name although the address is pinned', async () => {
    const { port } = await secureReceiver();
    expect(await get(`https://receiver.test:${port}`, trusted)).toBe(200);
    const outcome = await get(`https://other.test:${port}`, trusted);
    expect(outcome).toMatchObject({
      kind: 'tls',
      message: 'No secure connection could be made (ERR_TLS_CERT_ALTNAME_INVALID).',
    });
    expect(await get(`https://127.0.0.1:${port}`, trusted)).toMatchObject({ kind: 'tls' });
  });

  it('refuses a certificate of an unknown authority', async () => {
    const { port } = await secureReceiver();
    const outcome = await get(`https://receiver.test:${port}`, {
      ...trusted,
      certificateAuthorities: undefined,
    });
    expect(outcome).toMatchObject({ kind: 'tls' });
  });

  it.each<[string, (socket: Socket) => void]>([
    ['stays silent', () => undefined],
    ['hangs up', (socket) => socket.end()],
    ['speaks plain HTTP', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('fails as "tls" when the other side %s', async (_what, answer) => {
    const { port } = await rawReceiver(answer);
    const outcome = await get(`https://receiver.test:${port}`, {
      ...trusted,
      connectTimeoutMs: 500 * SLOWNESS,
    });
    expect(outcome).toBeInstanceOf(EgressFailure);
    expect(outcome).toMatchObject({ kind: 'tls' });
  });
});

describe('sockets of other libraries', () => {
  const LIMITS = { timeoutMs: 20_000, maxResponseBytes: 10_000 };
  let server: Server | null = null;
  afterEach(() => server?.close());

  async function serve(answer: RequestListener): Promise<string> {
    server = createServer(answer);
    return `http://127.0.0.1:${await listenOnLoopback(server)}/`;
  }

  function ask(sockets: GuardedSockets, text: string): Promise<string> {
    const url = new URL(text);
    return new Promise((resolve, reject) => {
      const sending = request(url, { agent: sockets.agentFor(url) }, (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.once('error', reject);
        response.once('end', () => resolve(`${response.statusCode} ${body}`));
      });
      sending.once('error', reject);
      sending.end();
    });
  }

  it('serves a library that sends requests itself, and follows no redirect', async () => {
    const url = await serve((_, response) =>
      response.writeHead(302, { location: '/elsewhere' }).end('moved'),
    );
    expect(await ask(new GuardedSockets(LOCAL, LIMITS), url)).toBe('302 moved');
  });

  it('refuses addresses by the policy, and names by what they resolve to', async () => {
    const strict = new GuardedSockets({ allowLoopback: false, allowHttp: true }, LIMITS);
    for (const url of ['http://127.0.0.1/', 'http://[::1]/', 'http://169.254.169.254/', 'http://10.0.0.1/'])
      expect(() => strict.agentFor(new URL(url))).toThrow(/private/);
    const onlyTls = new GuardedSockets({ allowLoopback: true, allowHttp: false }, LIMITS);
    expect(() => onlyTls.agentFor(new URL('http://example.org/'))).toThrow(/https/);
    const lookup = () => Promise.resolve(['127.0.0.1']);
    const resolving = new GuardedSockets({ allowLoopback: false, allowHttp: true, lookup }, LIMITS);
    await expect(ask(resolving, 'http://provider.example/')).rejects.toThrow(/not public/);
  });

  it('ends an answer that is too long', async () => {
    const url = await serve((_, response) => response.end('x'.repeat(20_000)));
    await expect(ask(new GuardedSockets(LOCAL, LIMITS), url)).rejects.toThrow(/more than 10000 bytes/);
  });

  it('ends an answer that drips, however often a byte comes', async () => {
    const url = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.once('close', () => clearInterval(timer));
    });
    const sockets = new GuardedSockets(LOCAL, { ...LIMITS, timeoutMs: 400 });
    await expect(ask(sockets, url)).rejects.toThrow(/within 400 ms/);
  });
});
