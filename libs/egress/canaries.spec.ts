import { get, type RequestOptions } from 'node:http';
import { networkInterfaces } from 'node:os';
import { isIPv6 } from 'node:net';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { classifyAddress } from './address-policy';
import { EgressRefused } from './failure';
import type { Lookup } from './guarded-agent';
import {
  closeReceivers,
  egressWith,
  httpReceiver,
  INTERNAL_HOSTS,
  LOCAL,
  namesOf,
  post,
  type Receiver,
} from './loopback-receiver';
import type { EgressPolicy } from './send';

/**
 * Egress opens no connection to this machine (guarantee G16). An unguarded client reaches each canary, which proves
 * that the canary is reachable.
 */
const STRICT: EgressPolicy = { allowHttp: true, allowLoopback: false };

afterEach(closeReceivers);

function canary(host = '::'): Promise<Receiver> {
  return httpReceiver((_request, response) => void response.end('ok'), host);
}

async function outcomeOf(sent: Promise<unknown>): Promise<unknown> {
  return sent.catch((error: unknown) => error);
}

function unguarded(url: string, lookup?: Lookup): Promise<number | null> {
  const resolve: RequestOptions = !lookup
    ? {}
    : {
        lookup: (name, _options, callback) => {
          lookup(name).then(
            (addresses) =>
              callback(
                null,
                addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })),
              ),
            () => callback(new Error('no address'), []),
          );
        },
      };
  return new Promise((done) => {
    const asking = get(url, { agent: false, timeout: 2_000 * SLOWNESS, ...resolve }, (answer) => {
      answer.resume();
      done(answer.statusCode ?? null);
    });
    asking.on('timeout', () => asking.destroy());
    asking.on('error', () => done(null));
  });
}

function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const internal = all.filter(({ address }) => classifyAddress(address) !== 'public');
  return internal.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
}

describe('a host that is written as an address', () => {
  const hosts = [...new Set([...INTERNAL_HOSTS, '127.0.0.2', '127.1.1.1', 'localhost', 'LOCALHOST'])];

  it('is refused in each spelling, and the canary sees no connection', async () => {
    const receiver = await canary();
    const egress = egressWith({ ...STRICT, connectTimeoutMs: 10_000 });
    const outcomes = await Promise.all(
      hosts.map(async (host) => {
        const sent = egress.send(post(`http://${host}:${receiver.port}/`, { timeoutMs: 20_000 }));
        return [host, (await outcomeOf(sent)) instanceof EgressRefused] as const;
      }),
    );
    expect(outcomes.filter(([, refused]) => !refused)).toEqual([]);
    expect(receiver.connections).toBe(0);
  });

  it("is refused when it is an address of this machine's interfaces", async () => {
    const own = ownAddresses();
    const receiver = await canary();
    const egress = egressWith({ ...STRICT, connectTimeoutMs: 10_000 });
    for (const host of own) {
      const sent = egress.send(post(`http://${host}:${receiver.port}/`, { timeoutMs: 20_000 }));
      expect([host, await outcomeOf(sent)]).toEqual([host, expect.any(EgressRefused)]);
    }
    expect(receiver.connections).toBe(0);
  });

  it('reaches the canary in at least 25 spellings without the guard', async () => {
    const receiver = await canary();
    const here = hosts.filter((host) => isHere(host));
    const statuses = await Promise.all(here.map((host) => unguarded(`http://${host}:${receiver.port}/`)));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(25);
    expect(receiver.connections).toBeGreaterThanOrEqual(25);
  });

  /** This test must not send anything to others. */
  function isHere(host: string): boolean {
    if (!URL.canParse(`http://${host}/`)) return false;
    const { hostname } = new URL(`http://${host}/`);
    return /^(?:127\.|0\.0\.0\.0$|localhost|\[::1?\]$|\[::ffff:7f)/.test(hostname);
  }
});

describe('a name', () => {
  it.each<[string, string[]]>([
    ['loopback', ['127.0.0.1']],
    ['IPv6 loopback', ['::1']],
    ['mapped loopback', ['::ffff:127.0.0.1']],
    ['the unspecified address', ['0.0.0.0']],
    ['the unspecified IPv6 address', ['::']],
    ['a public address of one family and loopback of the other', ['93.184.215.14', '::1']],
    ['several addresses, the last of them internal', ['93.184.215.14', '93.184.215.15', '127.0.0.1']],
    ['a NAT64 form of loopback', ['64:ff9b::7f00:1']],
    ['nothing', []],
  ])('that stands for %s is never connected to', async (_what, answer) => {
    const receiver = await canary();
    const { lookup } = namesOf({ 'hooks.test': [answer] });
    const sent = egressWith({ ...STRICT, lookup }).send(post(`http://hooks.test:${receiver.port}/`));
    expect(await outcomeOf(sent)).toMatchObject({ kind: answer.length === 0 ? 'dns' : 'refused_by_policy' });
    expect(receiver.connections).toBe(0);
  });

  async function twoListeners(): Promise<{ allowed: Receiver; forbidden: Receiver; url: string }> {
    const allowed = await canary('127.0.0.2');
    const forbidden = await httpReceiver(
      (_request, response) => void response.end('ok'),
      '127.0.0.1',
      allowed.port,
    );
    return { allowed, forbidden, url: `http://rebinding.test:${allowed.port}/` };
  }
  const REBINDING = { 'rebinding.test': [['127.0.0.2'], ['0.0.0.0']] };

  it('that changes between check and connection is resolved once and reaches the checked address', async () => {
    const { allowed, forbidden, url } = await twoListeners();
    const dns = namesOf(REBINDING);
    const policy = { ...LOCAL, lookup: dns.lookup, maxRequestsPerConnection: 1 };
    expect(await egressWith(policy).send(post(url))).toMatchObject({ status: 200 });
    expect(dns.requested).toHaveLength(1);
    for (let attempt = 0; attempt < 20; attempt++)
      expect(await outcomeOf(egressWith(policy).send(post(url)))).toBeInstanceOf(EgressRefused);
    expect([allowed.connections, forbidden.connections]).toEqual([1, 0]);
  });

  it('reaches the canary when check and connection resolve it separately', async () => {
    const { forbidden, url } = await twoListeners();
    const { lookup } = namesOf(REBINDING);
    expect(await lookup('rebinding.test')).toEqual(['127.0.0.2']);
    expect(await unguarded(url, lookup)).toBe(200);
    expect(forbidden.connections).toBe(1);
  });
});

describe('a redirect', () => {
  const LOCATIONS: [string, (canaryPort: number) => string][] = [
    ['to an address', (port) => `http://127.0.0.1:${port}/`],
    ['to another spelling', (port) => `http://0x7f.1:${port}/`],
    ['to a name', (port) => `http://localhost:${port}/`],
    ['without a scheme', (port) => `//127.0.0.1:${port}/`],
  ];
  it.each([300, 301, 302, 303, 305, 307, 308])(
    'with status %i is an answer and is not followed',
    async (status) => {
      const receiver = await canary();
      for (const [what, location] of LOCATIONS) {
        const redirecting = await httpReceiver((_request, response) => {
          const target = location(receiver.port);
          response.writeHead(status, { Location: target, Refresh: `0; url=${target}` }).end();
        });
        const answer = await egressWith(LOCAL).send(post(redirecting.url));
        expect([what, answer.status]).toEqual([what, status]);
      }
      expect(receiver.connections).toBe(0);
    },
  );
});
